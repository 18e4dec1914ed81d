import { Packr } from 'msgpackr/pack';
import snappy from 'snappyjs';
import { z } from 'zod';
import type { Labels } from '../catalogue/family.ts';
import type { PushedFamily, PushedSample } from './protocol.ts';

/** Samples of one source and one time, as they wait in the outbox together. */
export interface OutboxEntry {
  /** Whose samples they are: those of one source are sent in the order in which they came. */
  readonly source: string;
  /** When they were put in (ms since the epoch, local). */
  readonly queuedAt: number;
  /** Each of another series, all of one time. */
  readonly samples: readonly PushedSample[];
}

/**
 * Only the form is looked at, by which another version's entries differ: the state's checksum shows that these are the bytes
 * that were written, and to check each sample took as long as to send it.
 */
const packedEntry = z.object({
  source: z.string(),
  queued: z.number(),
  at: z.number(),
  /** A `PackedShape`, compressed. It is found again by these bytes: most entries of a source have the same. */
  shape: z.instanceof(Uint8Array),
  /** Of each sample. */
  values: z.custom<readonly number[]>(Array.isArray),
});

/** What the series of an entry are. What they have in common stands once. */
const packedShape = z.object({
  labels: z.record(z.string(), z.string()),
  families: z.array(
    z.tuple([z.string(), z.enum(['gauge', 'counter', 'histogram', 'summary']), z.number().optional()]),
  ),
  /** Labels that the series do not have in common: name, value, name, value, … */
  own: z.custom<readonly (readonly string[])[]>(Array.isArray),
  /** Of each sample the place of its family, and that of its own labels: two numbers after two. */
  places: z.custom<readonly number[]>(Array.isArray),
});

type PackedEntry = z.infer<typeof packedEntry>;
type PackedShape = z.infer<typeof packedShape>;

const msgpack = new Packr({ useRecords: false });

export function packEntry({ source, queuedAt, samples }: OutboxEntry): Uint8Array {
  const entry: PackedEntry = {
    source,
    queued: queuedAt,
    at: samples[0]?.at ?? 0,
    shape: snappy.compress(msgpack.pack(shapeOf(samples))),
    values: samples.map(({ value }) => value),
  };
  return msgpack.pack(entry);
}

function shapeOf(samples: readonly PushedSample[]): PackedShape {
  const common = commonLabels(samples.map(({ series }) => series.labels));
  const families = new Places<PackedShape['families'][number]>();
  const own = new Places<readonly string[]>();
  const known = new Map<Labels, number>();
  const placeOf = (labels: Labels): number => {
    const rest = Object.entries(labels).filter(([label]) => !Object.hasOwn(common, label));
    const flat = rest.flat();
    const place = own.of(JSON.stringify(flat), flat);
    known.set(labels, place);
    return place;
  };
  const places = samples.flatMap(({ series: { family, labels }, since }) => [
    families.of(`${family.name} ${since}`, [family.name, family.type, since]),
    known.get(labels) ?? placeOf(labels),
  ]);
  return { labels: common, families: families.all, own: own.all, places };
}

function parse(bytes: unknown): PackedEntry | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  return packedEntry.safeParse(readable(() => msgpack.unpack(bytes))).data;
}

/** Undefined where bytes of another version are no such thing: then they are dropped, and hold nothing up. */
function readable(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What is known of an entry without making its samples; undefined where it is something else. */
export function headOf(
  bytes: unknown,
): (Pick<OutboxEntry, 'source' | 'queuedAt'> & { readonly samples: number }) | undefined {
  const entry = parse(bytes);
  return entry && { source: entry.source, queuedAt: entry.queued, samples: entry.values.length };
}

/** The entry that was packed; undefined where it is something else. @param shapes what earlier entries had the same */
export function unpackEntry(bytes: unknown, shapes = new EntryShapes()): OutboxEntry | undefined {
  const entry = parse(bytes);
  const shape = entry && shapes.of(entry.shape);
  if (shape === undefined || shape.length !== entry?.values.length) return undefined;
  const { source, queued: queuedAt, at, values } = entry;
  const samples = shape.map(({ series, since }, index) => ({
    series,
    value: Number(values[index]),
    at,
    since,
  }));
  return { source, queuedAt, samples };
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

type Shape = readonly Pick<PushedSample, 'series' | 'since'>[];

/** Where so many series are known, those of a thousand configurations, they are forgotten: a backlog may have millions. */
const MOST_SERIES = 50_000;

/** Series that entries had, the same objects for entries that are alike. */
export class EntryShapes {
  readonly #families = new Map<string, PushedFamily>();
  readonly #shapes = new Map<string, Shape>();
  #series = 0;

  /** What all samples of an entry have but their time and values; undefined where the bytes are something else. */
  of(bytes: Uint8Array): Shape | undefined {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const made = this.#unpacked(bytes);
    if (made === undefined) return undefined;
    if (this.#series > MOST_SERIES) this.clear();
    this.#shapes.set(key, made);
    this.#series += made.length;
    return made;
  }

  clear(): void {
    this.#families.clear();
    this.#shapes.clear();
    this.#series = 0;
  }

  #unpacked(bytes: Uint8Array): Shape | undefined {
    const packed = packedShape.safeParse(readable(() => msgpack.unpack(snappy.uncompress(bytes)))).data;
    if (packed === undefined) return undefined;
    const labels = packed.own.map((flat) => joined(packed.labels, flat));
    const shape: Shape[number][] = [];
    for (let index = 0; index < packed.places.length; index += 2) {
      const [of, whose] = [packed.places[index] ?? -1, packed.places[index + 1] ?? -1];
      const [family, itsLabels] = [packed.families[of], labels[whose]];
      if (family === undefined || itsLabels === undefined) return undefined;
      const [name, type, since] = family;
      shape.push({
        series: { family: this.#family(name, type), labels: itsLabels },
        since: since ?? undefined,
      });
    }
    return shape;
  }

  #family(name: string, type: PushedFamily['type']): PushedFamily {
    const key = `${type} ${name}`;
    const family = this.#families.get(key) ?? { name, type };
    this.#families.set(key, family);
    return family;
  }
}

function joined(common: Labels, own: readonly string[]): Labels {
  const pairs = Object.entries(common);
  for (let index = 0; index < own.length; index += 2) pairs.push([own[index] ?? '', own[index + 1] ?? '']);
  return Object.fromEntries(pairs);
}

function commonLabels([first = {}, ...others]: readonly Labels[]): Labels {
  const shared = Object.entries(first).filter(([name, text]) =>
    others.every((labels) => labels[name] === text),
  );
  return Object.fromEntries(shared);
}
