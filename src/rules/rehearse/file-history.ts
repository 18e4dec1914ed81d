import { createReadStream } from 'node:fs';
import type { Chunk } from '../promql/evaluation.ts';
import type { Labels } from '../promql/vector.ts';
import { DAY, MINUTE } from '../shipped/times.ts';
import { CHUNK_MS, inputOf, type MinuteSamples, type RehearsalHistory, RehearsalRefusal } from './history.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

export interface FileHistoryOptions {
  /** Path of a file that `backfill` wrote. */
  readonly file: string;
  readonly rules: readonly RehearsedRules[];
  /** Reported range (ms); undefined for the whole file. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Number of days up to the end; used without `from`. */
  readonly days?: number | undefined;
  readonly source?: string;
}

/** Reads the history in a file. @throws RehearsalRefusal if it has no metric of the rules, and errors of the file system */
export async function fileHistory(options: FileHistoryOptions): Promise<RehearsalHistory> {
  const { file, rules, source = file } = options;
  const names = new Set(rules.flatMap(({ scraped }) => [...scraped]));
  const series = await readOpenMetrics(file, names);
  const first = Math.min(...series.map(({ times }) => times[0] ?? Number.POSITIVE_INFINITY));
  const last = Math.max(...series.map(({ times }) => times.at(-1) ?? Number.NEGATIVE_INFINITY));
  if (first > last) throw new RehearsalRefusal(`${file} has none of the metrics that alerts are made of`);
  const to = Math.min(last + MINUTE, options.to ?? last + MINUTE);
  const { days = Number.POSITIVE_INFINITY } = options;
  const from = Math.max(first, options.from ?? to - days * DAY);
  if (from >= to) throw new RehearsalRefusal(`${file} has no samples in this range`);
  return {
    source,
    from,
    to,
    names: new Set(series.map(({ name }) => name)),
    pieces: Math.ceil((to - first) / CHUNK_MS),
    chunks: () => chunksOf(series, first, to),
  };
}

async function* chunksOf(series: readonly MinuteSamples[], first: number, to: number): AsyncGenerator<Chunk> {
  for (let start = first; start < to; start += CHUNK_MS) {
    const steps = Math.ceil((Math.min(to, start + CHUNK_MS) - start) / MINUTE);
    yield { start, steps, inputs: series.flatMap((one) => inputOf(one, start, steps) ?? []) };
  }
}

/** Time (ms) for which Prometheus uses a sample that no other follows. */
const SEEN_MS = 5 * MINUTE;

/** Error for a truncated file, or for a line that is not a sample with a timestamp after the previous one. */
export class LineProblem extends Error {
  override readonly name = 'LineProblem';
}

/**
 * Reads the series with some names from a file of `backfill`, minute by minute, as rules see them. A sample is valid until the next
 * one, for at most five minutes. A truncated file is refused, because its missing end would look like a time without alerts.
 * @throws LineProblem, and errors of the file system
 */
export async function readOpenMetrics(
  file: string,
  names: ReadonlySet<string>,
): Promise<readonly MinuteSamples[]> {
  const found = new Map<string, OpenSeries>();
  let current: OpenSeries | undefined;
  let [number, last, rest] = [0, '', ''];
  const problem = (what: string): LineProblem => new LineProblem(`${file}:${number}: ${what}`);
  const take = (line: string): void => {
    number += 1;
    last = line;
    // Most lines continue the series of the previous line.
    if (current === undefined || !line.startsWith(current.key)) {
      const next = seriesIn(line, names);
      if (next === undefined) return;
      if (found.has(next.key)) throw problem('the series was there before');
      found.set(next.key, next);
      current = next;
    }
    const [value = '', seconds = ''] = line.slice(current.key.length + 1).split(' ');
    const at = Number(seconds) * 1_000;
    if (seconds === '' || Number.isNaN(at)) throw problem('expected a value and a time');
    if (at < current.newest.at) throw problem('the sample is older than the one before');
    current.add(at, Number(value));
  };
  for await (const piece of createReadStream(file, 'utf8')) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  }
  if ((rest || last) !== '# EOF') throw new LineProblem(`${file} is cut off: it does not end with # EOF`);
  for (const series of found.values()) series.add(Number.POSITIVE_INFINITY, Number.NaN);
  return [...found.values()];
}

/** Returns the series of a sample line; undefined for other lines and names. */
function seriesIn(line: string, names: ReadonlySet<string>): OpenSeries | undefined {
  const end = line.lastIndexOf('}') + 1;
  const brace = line.indexOf('{');
  if (line === '' || line.startsWith('#') || !names.has(line.slice(0, brace))) return undefined;
  return new OpenSeries(line.slice(0, end), line.slice(0, brace), labelsIn(line.slice(brace + 1, end - 1)));
}

class OpenSeries implements MinuteSamples {
  readonly key: string;
  readonly name: string;
  readonly labels: Labels;
  readonly times: number[] = [];
  readonly values: number[] = [];
  newest = { at: Number.NEGATIVE_INFINITY, value: Number.NaN };

  constructor(key: string, name: string, labels: Labels) {
    this.key = key;
    this.name = name;
    this.labels = labels;
  }

  /** Adds a sample, after filling the minutes in which the previous one was valid. */
  add(at: number, value: number): void {
    const { newest } = this;
    const end = Math.min(at, newest.at + SEEN_MS);
    for (let minute = Math.ceil(newest.at / MINUTE) * MINUTE; minute < end; minute += MINUTE) {
      this.times.push(minute);
      this.values.push(newest.value);
    }
    this.newest = { at, value };
  }
}

const ESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

function labelsIn(text: string): Labels {
  const pairs = text.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/\\[\\"n]/g, (sequence) => ESCAPED[sequence] ?? sequence),
    ]),
  );
}
