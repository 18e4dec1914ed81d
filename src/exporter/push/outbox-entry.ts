import { Packr } from 'msgpackr/pack';
import snappy from 'snappyjs';
import { z } from 'zod';
import type { Labels } from '../catalogue/family.ts';
import type { PushedSample } from './protocol.ts';

/** Entry of the outbox: samples of one source at one time. */
export interface OutboxEntry {
  /** Source of the samples. Samples of one source are sent in order. */
  readonly source: string;
  /** Local time (ms) at which the samples were queued. */
  readonly queuedAt: number;
  /** Samples of different series at one time. */
  readonly samples: readonly PushedSample[];
}

/** Returns a check of a whole array: a schema for each value takes as long as sending the samples. */
function isArrayOf(type: 'number' | 'string'): (given: unknown) => boolean {
  return (given) => Array.isArray(given) && given.every((one) => typeof one === type);
}

const packedEntry = z.object({
  source: z.string(),
  queued: z.number(),
  at: z.number(),
  /** Packed shape, compressed. Its bytes serve as a key, because most entries of a source have the same shape. */
  shape: z.instanceof(Uint8Array),
  /** Values, in the order of the shape's series. */
  values: z.custom<readonly number[]>(isArrayOf('number')),
});

const labels = z.custom<Labels>((given) => isArrayOf('string')(Object.values(Object(given))));

/** Series of an entry. Their common labels are stored once. */
const packedShape = z.object({
  common: labels,
  series: z.array(
    z.tuple([
      z.string(),
      z.enum(['gauge', 'counter', 'histogram', 'summary']),
      z.number().nullable(),
      labels,
    ]),
  ),
});

const msgpack = new Packr({ useRecords: false });

export function packEntry({ source, queuedAt, samples }: OutboxEntry): Uint8Array {
  const common = commonLabels(samples.map(({ series }) => series.labels));
  const shape: z.input<typeof packedShape> = {
    common,
    series: samples.map(({ series: { family, labels }, since }) => [
      family.name,
      family.type,
      since ?? null,
      Object.fromEntries(Object.entries(labels).filter(([label]) => !Object.hasOwn(common, label))),
    ]),
  };
  const entry: z.input<typeof packedEntry> = {
    source,
    queued: queuedAt,
    at: samples[0]?.at ?? 0,
    shape: snappy.compress(msgpack.pack(shape)),
    values: samples.map(({ value }) => value),
  };
  return msgpack.pack(entry);
}

function commonLabels([first = {}, ...others]: readonly Labels[]): Labels {
  const shared = Object.entries(first).filter(([name, text]) =>
    others.every((labels) => labels[name] === text),
  );
  return Object.fromEntries(shared);
}

/** Returns the metadata of an entry without its samples; undefined for invalid bytes. */
export function headOf(
  bytes: unknown,
): (Pick<OutboxEntry, 'source' | 'queuedAt'> & { readonly samples: number }) | undefined {
  const entry = parse(packedEntry, () => msgpack.unpack(bytes as Uint8Array));
  return entry && { source: entry.source, queuedAt: entry.queued, samples: entry.values.length };
}

/** Returns the decoded entry; undefined for invalid bytes. @param shapes cache of the shapes of earlier entries */
export function unpackEntry(bytes: unknown, shapes = new EntryShapes()): OutboxEntry | undefined {
  const entry = parse(packedEntry, () => msgpack.unpack(bytes as Uint8Array));
  const shape = entry && shapes.of(entry.shape);
  if (shape === undefined || shape.length !== entry?.values.length) return undefined;
  const { source, queued: queuedAt, at, values } = entry;
  const samples = shape.map((one, index) => ({ ...one, value: values[index] ?? 0, at }));
  return { source, queuedAt, samples };
}

/** Returns undefined for damaged bytes or those of another version, which are dropped. */
function parse<Shape extends z.ZodType>(shape: Shape, decode: () => unknown): z.output<Shape> | undefined {
  try {
    return shape.parse(decode());
  } catch {
    return undefined;
  }
}

type Shape = readonly Pick<PushedSample, 'series' | 'since'>[];

/** Number of cached series above which the cache is cleared: a backlog may have millions. */
const MOST_SERIES = 50_000;

/** Cache of entries' shapes. Entries with the same shape share their series, so that messages encode each series once. */
export class EntryShapes {
  readonly #shapes = new Map<string, Shape>();
  #series = 0;

  /** Returns the shape of an entry: its series, without times and values; undefined for invalid bytes. */
  of(bytes: Uint8Array): Shape | undefined {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const known = this.#shapes.get(key);
    if (known !== undefined) return known;
    const packed = parse(packedShape, () => msgpack.unpack(snappy.uncompress(bytes)));
    if (packed === undefined) return undefined;
    const made = packed.series.map(([name, type, since, own]) => ({
      series: { family: { name, type }, labels: { ...packed.common, ...own } },
      since: since ?? undefined,
    }));
    if (this.#series > MOST_SERIES) this.clear();
    this.#shapes.set(key, made);
    this.#series += made.length;
    return made;
  }

  clear(): void {
    this.#shapes.clear();
    this.#series = 0;
  }
}
