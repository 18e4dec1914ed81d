import { Packr } from 'msgpackr';
import { z } from 'zod';
import type { PushedSample } from './pushed-sample.ts';

/** Samples of one source and one time, as they wait in the outbox together. */
export interface OutboxEntry {
  /** Whose samples they are: those of one source are sent in the order in which they came. */
  readonly source: string;
  /** When they were put in (ms since the epoch, local). */
  readonly queuedAt: number;
  /** Each of another series, all of one time. */
  readonly samples: readonly PushedSample[];
}

const labels = z.record(z.string(), z.string());

/** What the samples have in common stands once. */
const packedEntry = z.object({
  source: z.string(),
  queued: z.number(),
  at: z.number(),
  labels,
  families: z.array(
    z.tuple([z.string(), z.enum(['gauge', 'counter', 'histogram', 'summary']), z.number().optional()]),
  ),
  samples: z.array(z.tuple([z.number(), z.number(), labels])),
});

type PackedEntry = z.infer<typeof packedEntry>;

const msgpack = new Packr({ useRecords: false });

export function packEntry({ source, queuedAt, samples }: OutboxEntry): Uint8Array {
  const common = commonLabels(samples);
  const families: PackedEntry['families'] = [];
  const places = new Map<string, number>();
  const packed = samples.map(({ family, since, value, labels }): PackedEntry['samples'][number] => {
    const known = `${family.name} ${since}`;
    const place = places.get(known) ?? families.length;
    if (place === families.length) families.push([family.name, family.type, since]);
    places.set(known, place);
    const own = Object.entries(labels).filter(([name]) => common[name] === undefined);
    return [place, value, Object.fromEntries(own)];
  });
  const at = samples[0]?.at ?? 0;
  const entry: PackedEntry = { source, queued: queuedAt, at, labels: common, families, samples: packed };
  return msgpack.pack(entry);
}

/** The entry that was packed; undefined where it is something else, of another version perhaps. */
export function unpackEntry(bytes: unknown): OutboxEntry | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  const parsed = packedEntry.safeParse(msgpack.unpack(bytes));
  if (!parsed.success) return undefined;
  const { source, queued, at, labels: common, families, samples } = parsed.data;
  return {
    source,
    queuedAt: queued,
    samples: samples.flatMap(([place, value, own]) => {
      const [name, type, since] = families[place] ?? [];
      if (name === undefined || type === undefined) return [];
      return [
        { family: { name, type }, labels: { ...common, ...own }, value, at, since: since ?? undefined },
      ];
    }),
  };
}

function commonLabels(samples: readonly PushedSample[]): Record<string, string> {
  const [first, ...others] = samples;
  const shared = Object.entries(first?.labels ?? {}).filter(([name, text]) =>
    others.every(({ labels }) => labels[name] === text),
  );
  return Object.fromEntries(shared);
}
