import { mergeDecoded } from '../decode/decode.ts';
import { NO_POINTS, type Rejections, reject } from '../decode/points.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import type {
  GroupAnswer,
  ReadableSeries,
  SeriesSource,
  WindowAsked,
  WindowedAnswer,
} from '../series/series-source.ts';
import type { Window } from '../settling/window.ts';
import { type DatasetRead, DatasetReading, leftOut, type ReadingOptions } from './dataset-reading.ts';
import { type Column, decodeColumns } from './dataset-rows.ts';
import type { MetricPart } from './metric-parts.ts';
import { rowLimit, USUAL_BUCKETS } from './question.ts';
import type { TopValues } from './top-values.ts';

/** Key and parts of a series of a group. */
export interface Member {
  /** Value of the datasets' key. */
  readonly key: string;
  readonly parts: readonly MetricPart[];
  /** Values of an open breakdown that have their own series. */
  readonly values: TopValues;
}

interface QuestionSourceOptions extends ReadingOptions {
  readonly memberOf: (series: ReadableSeries) => Member;
  /** Observed rows in a bucket for each key, by signature of a part, which all groups of an account share. */
  readonly density: Map<string, number>;
  /** Time (ms) for which a key with too many rows is not read. */
  readonly restMs: number;
}

/** Question that covers a part of some series. */
interface PartQuestion {
  readonly part: MetricPart;
  readonly keys: Set<string>;
  readonly fields: Set<string>;
}

/**
 * Safety factor for expected rows, because rows may increase after a response. The second factor limits a decrease of the learned
 * density to ten percent per response.
 */
const MORE_ROWS = 1.15;
const FEWER_ROWS = 0.9;

/** Reads a group of series with questions about the datasets that they share. */
export class QuestionSource implements SeriesSource {
  readonly name = 'graphql';
  readonly group = QUESTIONS.group;
  readonly costsByWindow = true;
  readonly #options: QuestionSourceOptions;
  /** Platform time (ms) until which a key with too many rows rests, by signature of a part. */
  readonly #restsUntil = new Map<string, ReadonlyMap<string, number>>();

  constructor(options: QuestionSourceOptions) {
    this.#options = options;
  }

  cost(series: readonly ReadableSeries[]): number {
    return this.#questions(series).reduce((sum, { part, keys, fields }) => {
      const together = rowLimit(fields.size, this.#options.mostBytes) / (keys.size * this.#expected(part));
      return sum + Math.ceil(USUAL_BUCKETS / Math.max(1, Math.floor(together)));
    }, 0);
  }

  answers(series: ReadableSeries, dimension: string): boolean {
    const { parts } = this.#options.memberOf(series);
    return parts.some((part) => (part.isOpen ? part.served.length > 0 : part.dimensions.has(dimension)));
  }

  async read<S extends ReadableSeries>(
    { series, window, isPast }: WindowAsked<S>,
    read: Read,
    signal: AbortSignal,
  ): Promise<GroupAnswer<S>> {
    const { schema, platformClock } = this.#options;
    // Looks for missing fields, so that a schema read becomes due.
    this.#questions(series);
    await schema.ask(read, signal);
    let chosen: Window | undefined;
    const once = () => {
      chosen ??= window(platformClock.now());
      return chosen;
    };
    const found = new Map<string, DatasetRead>();
    const refused: { readonly part: MetricPart; readonly failure: PlatformFailure }[] = [];
    for (const { part, keys, fields } of this.#questions(series)) {
      const perKey = this.#expected(part);
      const question = { ...part.asked, keys: [...keys], fields: [...fields], window: once, perKey };
      try {
        const resting = this.#resting(part, question.keys);
        const reading = new DatasetReading({ ...question, resting }, this.#options, read, signal);
        const answer = await reading.rows();
        found.set(part.signature, answer);
        this.#rest(part, answer.crowded, resting);
        // A few keys do not show the row density of all.
        if (!isPast) this.#learn(part, answer.density);
      } catch (failure) {
        refused.push({ part, failure: unlessRefused(failure, part) });
      }
    }
    if (found.size === 0) throw refused[0]?.failure ?? this.#nothingServed(series);
    const rejected = rejectedIn(found.values());
    const answers = series.flatMap((one) => {
      const answer = answerFor(one, this.#options.memberOf(one), found, { isPast, rejected });
      return answer === undefined ? [] : [[one, answer] as const];
    });
    const notices = [...found.values()].flatMap(({ notice }) => notice ?? []);
    for (const { part } of refused) {
      if (part.served.length > 0) part.refused();
      notices.push(leftOut(part.asked.dataset, part.missing()));
    }
    return { answers, rejected, notice: notices[0] };
  }

  /** Returns the questions that together cover all fields of some series. */
  #questions(series: readonly ReadableSeries[]): PartQuestion[] {
    const questions = new Map<string, PartQuestion>();
    for (const one of series) {
      const { key, parts } = this.#options.memberOf(one);
      for (const part of parts) {
        if (part.served.length === 0) continue;
        const question = questions.get(part.signature) ?? { part, keys: new Set(), fields: new Set() };
        questions.set(part.signature, question);
        question.keys.add(key);
        for (const field of part.selects) question.fields.add(field);
      }
    }
    return [...questions.values()];
  }

  #expected({ signature, assumedPerKey }: MetricPart): number {
    return (this.#options.density.get(signature) ?? assumedPerKey) * MORE_ROWS;
  }

  #learn({ signature }: MetricPart, density: number): void {
    const known = this.#options.density;
    known.set(signature, Math.max(density, (known.get(signature) ?? 0) * FEWER_ROWS));
  }

  /** Returns the keys of a part that rest; none if all do. */
  #resting({ signature }: MetricPart, keys: readonly string[]): ReadonlySet<string> {
    const now = this.#options.platformClock.now();
    const until = this.#restsUntil.get(signature);
    const resting = keys.filter((key) => (until?.get(key) ?? 0) > now);
    return new Set(resting.length === keys.length ? [] : resting);
  }

  #rest({ signature }: MetricPart, crowded: ReadonlySet<string>, resting: ReadonlySet<string>): void {
    const end = this.#options.platformClock.now() + this.#options.restMs;
    const before = this.#restsUntil.get(signature);
    const entries = Array.from(
      crowded,
      (key) => [key, resting.has(key) ? (before?.get(key) ?? end) : end] as const,
    );
    this.#restsUntil.set(signature, new Map(entries));
  }

  #nothingServed(series: readonly ReadableSeries[]): PlatformFailure {
    const parts = series.flatMap((one) => this.#options.memberOf(one).parts);
    const fields = new Set(parts.flatMap(({ selects }) => selects));
    const dataset = parts[0]?.asked.dataset ?? 'datasets';
    return new PlatformFailure('not_found', `the account's ${dataset} has none of ${[...fields].join(', ')}`);
  }
}

/** Returns the failure if the platform refused this part, because other parts may still succeed. @throws every other failure */
function unlessRefused(failure: unknown, { served }: MetricPart): PlatformFailure {
  if (!(failure instanceof PlatformFailure)) throw failure;
  if (failure.outcome !== 'not_acceptable' && served.length > 0) throw failure;
  return failure;
}

/** Returns the number of dropped rows in all responses, per reason. */
function rejectedIn(answers: Iterable<DatasetRead>): Rejections {
  const rejected: Rejections = new Map();
  for (const { rows, crowded } of answers) {
    const dropped = [rows.unplaced, ...[...rows.byKey.values()].map((mine) => mine.rejected)];
    for (const one of dropped) for (const [reason, count] of one) reject(rejected, reason, count);
    reject(rejected, 'over_limit', crowded.size);
  }
  return rejected;
}

/** Returns the response for one series; undefined if none of its parts was read. */
function answerFor(
  series: ReadableSeries,
  { key, parts, values }: Member,
  found: ReadonlyMap<string, DatasetRead>,
  { isPast, rejected: faulty }: { readonly isPast: boolean; readonly rejected: Rejections },
): WindowedAnswer | undefined {
  const answers = parts.flatMap((part): WindowedAnswer[] => {
    const answer = found.get(part.signature);
    const [open] = part.served;
    if (answer === undefined || open === undefined) return [];
    const { rows, window, now } = answer;
    const columnsOf = (columns: readonly Column[]) =>
      answer.crowded.has(key)
        ? {
            series: new Map(columns.map(({ dimension }) => [dimension, NO_POINTS])),
            rejected: new Map([['over_limit' as const, 1]]),
            rows: 0,
          }
        : decodeColumns(rows, key, columns, { window, faulty });
    if (!part.isOpen) return [{ decoded: columnsOf(part.served), window, now }];
    const insteadOf = [...series.counterNames()];
    const mayChange = !isPast && !answer.crowded.has(key);
    const counters = { dimensions: insteadOf, mayChange };
    const columns = values.columns(open, rows.byKey.get(key), { window, now }, counters);
    return [{ decoded: { ...columnsOf(columns), insteadOf }, window, now }];
  });
  const [first, ...others] = answers;
  if (first === undefined || others.length === 0) return first;
  return {
    decoded: mergeDecoded(answers.map(({ decoded }) => decoded)),
    window: first.window,
    now: Math.min(...answers.map(({ now }) => now)),
  };
}
