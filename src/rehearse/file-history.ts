import type { Chunk } from '../promql/evaluation.ts';
import { CHUNK_MS, MINUTE_MS, type RehearsalHistory, RehearsalRefusal } from './history.ts';
import { inputOf, type MinuteSamples } from './minutes.ts';
import { readOpenMetrics } from './openmetrics-file.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

const DAY = 86_400_000;

export interface FileHistoryOptions {
  /** As `backfill` writes it. */
  readonly file: string;
  readonly rules: readonly RehearsedRules[];
  /** Of what is reported on (ms); without them all that there is. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** How many days up to the end, where there is no `from`. */
  readonly days?: number | undefined;
  readonly source?: string;
  readonly onChunk?: () => void;
}

/**
 * The history in a file.
 * @throws RehearsalRefusal where it has nothing that rules are made of, and what reading a file throws
 */
export async function fileHistory(options: FileHistoryOptions): Promise<RehearsalHistory> {
  const { file, rules, source = file } = options;
  const names = new Set(rules.flatMap(({ scraped }) => [...scraped]));
  const series = await readOpenMetrics(file, names);
  const first = Math.min(...series.map(({ times }) => times[0] ?? Number.POSITIVE_INFINITY));
  const last = Math.max(...series.map(({ times }) => times.at(-1) ?? Number.NEGATIVE_INFINITY));
  if (first > last) throw new RehearsalRefusal(`${file} has none of the metrics that alerts are made of`);
  const to = Math.min(last + MINUTE_MS, options.to ?? last + MINUTE_MS);
  const from = Math.max(
    first,
    options.from ?? (options.days === undefined ? first : to - options.days * DAY),
  );
  if (from >= to) throw new RehearsalRefusal(`${file} has no samples in this range`);
  return {
    source,
    from,
    to,
    names: new Set(series.map(({ name }) => name)),
    pieces: Math.ceil((to - first) / CHUNK_MS),
    chunks: () => chunksOf(series, { first, to }, options.onChunk),
  };
}

async function* chunksOf(
  series: readonly MinuteSamples[],
  { first, to }: { readonly first: number; readonly to: number },
  onChunk: () => void = () => undefined,
): AsyncGenerator<Chunk> {
  for (let start = first; start < to; start += CHUNK_MS) {
    const steps = Math.ceil((Math.min(to, start + CHUNK_MS) - start) / MINUTE_MS);
    onChunk();
    yield { start, steps, inputs: series.flatMap((one) => inputOf(one, start, steps) ?? []) };
  }
}
