import { Packr } from 'msgpackr/pack';
import { z } from 'zod';
import type { Labels } from '../catalogue/family.ts';
import type { PushedFamily, PushedSample } from './protocol.ts';

/** Samples of one source and one time, as they wait in the outbox together. */
export interface OutboxEntry {
  /** Whose samples they are: those of one source are sent in the order in which they came. */
  readonly source: string;
  /** When they were put in (ms since the epoch, local). */
  readonly queuedAt: number;
  /** Each of another series, all of one time. Those with equal labels have the same object. */
  readonly samples: readonly PushedSample[];
}

/**
 * What the samples have in common stands once. Only the form is looked at, by which another version's entries differ: the
 * state's checksum shows that these are the bytes that were written, and to check each sample took as long as to send it.
 */
const packedEntry = z.object({
  source: z.string(),
  queued: z.number(),
  at: z.number(),
  labels: z.record(z.string(), z.string()),
  families: z.array(
    z.tuple([z.string(), z.enum(['gauge', 'counter', 'histogram', 'summary']), z.number().optional()]),
  ),
  /** Labels that the samples do not have in common: name, value, name, value, … */
  own: z.custom<readonly (readonly string[])[]>(Array.isArray),
  /** Of each sample the place of its family, that of its own labels, and its value: three numbers after three. */
  points: z.custom<readonly number[]>(Array.isArray),
});

type PackedEntry = z.infer<typeof packedEntry>;

const msgpack = new Packr({ useRecords: false });

export function packEntry({ source, queuedAt, samples }: OutboxEntry): Uint8Array {
  const common = commonLabels(samples);
  const families = new Places<PackedEntry['families'][number]>();
  const own = new Places<readonly string[]>();
  const places = new Map<Labels, number>();
  const placeOf = (labels: Labels): number => {
    const rest = Object.entries(labels).filter(([label]) => common[label] === undefined);
    const flat = rest.flat();
    const place = own.of(JSON.stringify(flat), flat);
    places.set(labels, place);
    return place;
  };
  const points = samples.flatMap(({ family: { name, type }, since, value, labels }) => [
    families.of(`${name} ${since}`, [name, type, since]),
    places.get(labels) ?? placeOf(labels),
    value,
  ]);
  const entry: PackedEntry = {
    source,
    queued: queuedAt,
    at: samples[0]?.at ?? 0,
    labels: common,
    families: families.all,
    own: own.all,
    points,
  };
  return msgpack.pack(entry);
}

function parse(bytes: unknown): PackedEntry | undefined {
  return bytes instanceof Uint8Array ? packedEntry.safeParse(msgpack.unpack(bytes)).data : undefined;
}

/** What is known of an entry without making its samples, which takes most of the time; undefined where it is something else. */
export function headOf(
  bytes: unknown,
): (Pick<OutboxEntry, 'source' | 'queuedAt'> & { readonly samples: number }) | undefined {
  const entry = parse(bytes);
  return entry && { source: entry.source, queuedAt: entry.queued, samples: entry.points.length / 3 };
}

/** The entry that was packed; undefined where it is something else. @param sets what earlier entries had the same */
export function unpackEntry(bytes: unknown, sets = new LabelSets()): OutboxEntry | undefined {
  const parsed = parse(bytes);
  if (parsed === undefined) return undefined;
  const { source, queued, at, labels: common, families: packed, own, points } = parsed;
  const families = packed.map(([name, type, since]) => ({
    family: sets.family(name, type),
    since: since ?? undefined,
  }));
  const labels = sets.labels(common, own);
  const samples: PushedSample[] = [];
  for (let index = 0; index < points.length; index += 3) {
    const [of, whose, value] = [points[index] ?? -1, points[index + 1] ?? -1, points[index + 2]];
    const [family, itsLabels] = [families[of], labels[whose]];
    if (family === undefined || itsLabels === undefined || value === undefined) return undefined;
    samples.push({ family: family.family, labels: itsLabels, value, at, since: family.since });
  }
  return { source, queuedAt: queued, samples };
}

/** Different things in the order in which they came, each once. */
class Places<Thing> {
  readonly all: Thing[] = [];
  readonly #places = new Map<string, number>();

  of(key: string, thing: Thing): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.all.length);
    return this.all.push(thing) - 1;
  }
}

/** Where so many label sets are known they are forgotten: a backlog may have millions of series. */
const MOST_SETS = 20_000;

/** Families and label sets that entries had, the same objects for entries that are alike. */
export class LabelSets {
  readonly #families = new Map<string, PushedFamily>();
  /** Those of an entry together, by their text: most entries of a source have the same. */
  readonly #sets = new Map<string, Labels[]>();
  #size = 0;

  family(name: string, type: PushedFamily['type']): PushedFamily {
    const key = `${type} ${name}`;
    const family = this.#families.get(key) ?? { name, type };
    this.#families.set(key, family);
    return family;
  }

  /** The label sets of an entry. */
  labels(common: Labels, own: readonly (readonly string[])[]): Labels[] {
    if (this.#size > MOST_SETS) this.clear();
    const key = JSON.stringify([common, own]);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const made = own.map((flat) => joined(common, flat));
    this.#sets.set(key, made);
    this.#size += made.length;
    return made;
  }

  clear(): void {
    this.#families.clear();
    this.#sets.clear();
    this.#size = 0;
  }
}

function joined(common: Labels, own: readonly string[]): Labels {
  const pairs = Object.entries(common);
  for (let index = 0; index < own.length; index += 2) pairs.push([own[index] ?? '', own[index + 1] ?? '']);
  return Object.fromEntries(pairs);
}

function commonLabels(samples: readonly PushedSample[]): Labels {
  const [first, ...others] = samples;
  const shared = Object.entries(first?.labels ?? {}).filter(([name, text]) =>
    others.every(({ labels }) => labels[name] === text),
  );
  return Object.fromEntries(shared);
}
