import { createReadStream } from 'node:fs';
import type { Chunk } from '../promql/evaluation.ts';
import type { Labels } from '../promql/vector.ts';
import { DAY, MINUTE } from '../shipped/times.ts';
import { CHUNK_MS, inputOf, type MinuteSamples, type RehearsalHistory, RehearsalRefusal } from './history.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

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

/** Prometheus sees a sample for so long where no other follows. */
const SEEN_MS = 5 * MINUTE;

/** A file that is not as `backfill` writes it: cut off, or with a line that is no sample with a time, later than the one before. */
export class LineProblem extends Error {
  override readonly name = 'LineProblem';
}

/**
 * The series of some names in a file that `backfill` has written, minute by minute as rules see them: a sample is seen
 * until the next one, five minutes at most. What is only a part of a file is refused: nothing would seem to have happened in the rest.
 * @throws LineProblem, and what the file system throws
 */
export async function readOpenMetrics(
  file: string,
  names: ReadonlySet<string>,
): Promise<readonly MinuteSamples[]> {
  const samples = new SampleLines(file, names);
  let rest = '';
  for await (const piece of createReadStream(file, 'utf8')) {
    const lines = (rest + String(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) samples.take(line);
  }
  return samples.whole(rest);
}

/** The lines of a file, one after another. */
class SampleLines {
  readonly #file: string;
  readonly #names: ReadonlySet<string>;
  readonly #found = new Map<string, OpenSeries>();
  #current: OpenSeries | undefined;
  #number = 0;
  #last = '';

  constructor(file: string, names: ReadonlySet<string>) {
    this.#file = file;
    this.#names = names;
  }

  /** @throws LineProblem */
  take(line: string): void {
    this.#number += 1;
    this.#last = line;
    // Most lines go on with the series of the line before.
    const series =
      this.#current !== undefined && line.startsWith(this.#current.key) ? this.#current : this.#next(line);
    if (series === undefined) return;
    const [value = '', seconds = ''] = line.slice(series.key.length + 1).split(' ');
    const at = Number(seconds) * 1_000;
    if (seconds === '' || Number.isNaN(at)) throw this.#problem('expected a value and a time');
    if (!series.add(at, Number(value))) throw this.#problem('the sample is older than the one before');
  }

  /** @param rest what follows the last whole line @throws LineProblem where there should be more lines */
  whole(rest: string): readonly MinuteSamples[] {
    if ((rest || this.#last) !== '# EOF')
      throw new LineProblem(`${this.#file} is cut off: it does not end with # EOF`);
    return Array.from(this.#found.values(), (series) => series.whole());
  }

  /** The series that a line begins; undefined where it begins none. */
  #next(line: string): OpenSeries | undefined {
    const next = seriesIn(line, this.#names);
    if (next === undefined) return undefined;
    if (this.#found.has(next.key)) throw this.#problem('the series was there before');
    this.#found.set(next.key, next);
    this.#current = next;
    return next;
  }

  #problem(what: string): LineProblem {
    return new LineProblem(`${this.#file}:${this.#number}: ${what}`);
  }
}

/** The series of a sample line; undefined of any other line, and where none of the names is meant. */
function seriesIn(line: string, names: ReadonlySet<string>): OpenSeries | undefined {
  const end = line.lastIndexOf('}') + 1;
  const brace = line.indexOf('{');
  if (line === '' || line.startsWith('#') || !names.has(line.slice(0, brace))) return undefined;
  return new OpenSeries(line.slice(0, end), line.slice(0, brace), labelsIn(line.slice(brace + 1, end - 1)));
}

/** A series whose samples come one after another. */
class OpenSeries implements MinuteSamples {
  readonly key: string;
  readonly name: string;
  readonly labels: Labels;
  readonly times: number[] = [];
  readonly values: number[] = [];
  #newest = { at: Number.NEGATIVE_INFINITY, value: Number.NaN };

  constructor(key: string, name: string, labels: Labels) {
    this.key = key;
    this.name = name;
    this.labels = labels;
  }

  /** @returns whether it is no older than the sample before, and was added */
  add(at: number, value: number): boolean {
    if (at < this.#newest.at) return false;
    this.#see(at);
    this.#newest = { at, value };
    return true;
  }

  whole(): MinuteSamples {
    this.#see(Number.POSITIVE_INFINITY);
    return this;
  }

  /** The minutes in which the newest sample is seen before the next one. */
  #see(until: number): void {
    const { at, value } = this.#newest;
    const end = Math.min(until, at + SEEN_MS);
    for (let minute = Math.ceil(at / MINUTE) * MINUTE; minute < end; minute += MINUTE) {
      this.times.push(minute);
      this.values.push(value);
    }
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
