import { mergeDecoded } from '../decode/decode.ts';
import { type Rejections, reject } from '../decode/points.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import type {
  GroupAnswer,
  ReadableSeries,
  SeriesSource,
  WindowAsked,
  WindowedAnswer,
} from '../series/series-source.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { type DatasetRead, DatasetReading, type ReadingOptions, tooManyRows } from './dataset-reading.ts';
import { decodeColumns, type KeyRows } from './dataset-rows.ts';
import type { DensityMemory } from './density.ts';
import type { MetricPart } from './metric-parts.ts';
import { bucketsIn, rowLimit, USUAL_BUCKETS } from './question.ts';
import type { TopValues } from './top-values.ts';

/** A series of a group: its key and parts in the datasets. */
export interface Member {
  /** Value of the datasets' key. */
  readonly key: string;
  readonly parts: readonly MetricPart[];
  /** Values of an open field that have series of their own. */
  readonly values: TopValues;
}

interface QuestionSourceOptions extends ReadingOptions {
  readonly density: DensityMemory;
}

/** A key with too many rows is not asked for again for so long (ms). */
const REST_MS = 60 * MINUTE_MS;

/** Answers a group of series by questions about the datasets that they share. */
export class QuestionSource implements SeriesSource {
  readonly name = 'graphql';
  readonly group = QUESTIONS.group;
  readonly costsByWindow = true;
  readonly #options: QuestionSourceOptions;
  #members: ReadonlyMap<string, Member> = new Map();
  /** Until when (platform ms) keys are not asked for. */
  readonly #resting = new Map<string, number>();
  /** Operations that a read of the present takes, as the last one has shown. */
  #operations: number | undefined;

  constructor(options: QuestionSourceOptions) {
    this.#options = options;
  }

  /** Replaces what it can read. @param members by id of the series */
  assign(members: ReadonlyMap<string, Member>): void {
    if (members.size !== this.#members.size) this.#operations = undefined;
    this.#members = members;
  }

  cost(): number {
    if (this.#operations !== undefined) return this.#operations;
    return this.#questions([...this.#members.values()]).reduce((sum, { part, keys, fields }) => {
      const rows = keys.size * USUAL_BUCKETS * this.#perKey(part);
      return sum + Math.max(1, Math.ceil(rows / rowLimit(fields.size, this.#options.mostBytes)));
    }, 0);
  }

  answers({ id }: ReadableSeries, dimension: string): boolean {
    const parts = this.#members.get(id)?.parts ?? [];
    return parts.some((part) => (part.isOpen ? part.served.length > 0 : part.dimensions.has(dimension)));
  }

  async read<S extends ReadableSeries>(
    { series, window, isPast }: WindowAsked<S>,
    read: Read,
    signal: AbortSignal,
  ): Promise<GroupAnswer<S>> {
    const { schema, platformClock } = this.#options;
    const { asked, failures } = this.#askable(series);
    const isAll = !isPast && series.length === this.#members.size;
    const members = asked.map(([, member]) => member);
    // Looking shows what is missing, which the endpoint is asked for again.
    this.#questions(members);
    await schema.ask(read, signal);
    let chosen: Window | undefined;
    const once = () => {
      chosen ??= window(platformClock.now());
      return chosen;
    };
    const found = new Map<string, DatasetRead>();
    let nothing: PlatformFailure | undefined;
    for (const { part, keys, fields } of this.#questions(members)) {
      const perKey = this.#perKey(part);
      const question = { ...part.asked, keys: [...keys], fields: [...fields], window: once, perKey };
      try {
        const answer = await new DatasetReading(question, this.#options, read, signal).rows();
        found.set(part.signature, answer);
        // A few keys show nothing of all.
        if (isAll) this.#options.density.learn(part.signature, answer.density);
        for (const [key, { failure, isCrowded }] of answer.cut) {
          failures.set(key, failure);
          if (isCrowded) this.#resting.set(key, answer.now + REST_MS);
        }
      } catch (failure) {
        nothing = unlessServed(failure, part);
      }
    }
    const [crowded] = failures.values();
    if (found.size === 0) throw crowded ?? nothing ?? this.#nothingServed();
    if (isAll)
      this.#operations =
        (usualOperations(found.values()) + (this.#operations ?? 0)) /
        (this.#operations === undefined ? 1 : 2);
    const rejected = rejectedIn(found.values());
    const answers = asked.flatMap(([one, member]) => {
      const answer = failures.has(member.key)
        ? undefined
        : answerFor(one, member, found, { isPast, rejected });
      return answer === undefined ? [] : [[one, answer] as const];
    });
    const notices = [...found.values()].flatMap(({ notice }) => notice ?? []);
    const leftOut = series.filter(({ id }) => failures.has(this.#members.get(id)?.key ?? ''));
    return { answers, leftOut, rejected, failure: crowded, notice: notices[0] ?? nothing?.message };
  }

  /** Series that can be asked for, and the failures of keys that rest. */
  #askable<S extends ReadableSeries>(series: readonly S[]) {
    const now = this.#options.platformClock.now();
    const failures = new Map<string, PlatformFailure>();
    const asked: (readonly [S, Member])[] = [];
    for (const one of series) {
      const member = this.#members.get(one.id);
      if (member === undefined) continue;
      if (now < (this.#resting.get(member.key) ?? 0)) failures.set(member.key, tooManyRows(member.key));
      else asked.push([one, member]);
    }
    return { asked, failures };
  }

  /** Questions that together bring what some series need. */
  #questions(members: readonly Member[]) {
    const questions = new Map<
      string,
      { readonly part: MetricPart; readonly keys: Set<string>; readonly fields: Set<string> }
    >();
    for (const { key, parts } of members) {
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

  #perKey({ signature, assumedPerKey }: MetricPart): number {
    return this.#options.density.expected(signature, assumedPerKey);
  }

  #nothingServed(): PlatformFailure {
    const parts = [...this.#members.values()].flatMap((member) => member.parts);
    const fields = new Set(parts.flatMap(({ selects }) => selects));
    const dataset = parts[0]?.asked.dataset ?? 'datasets';
    return new PlatformFailure('not_found', `the account's ${dataset} has none of ${[...fields].join(', ')}`);
  }
}

/** A part that the account does not have is left out. @throws any other failure */
function unlessServed(failure: unknown, { served }: MetricPart): PlatformFailure {
  if (failure instanceof PlatformFailure && served.length === 0) return failure;
  throw failure;
}

/** Returns the operations that such answers take if nothing delays them: fewer than after an absence. */
function usualOperations(answers: Iterable<DatasetRead>): number {
  let sum = 0;
  for (const { operations, window } of answers)
    sum += Math.ceil(operations * Math.min(1, USUAL_BUCKETS / bucketsIn(window)));
  return sum;
}

/** Rows of answers that were dropped, whichever series they belong to. */
function rejectedIn(answers: Iterable<DatasetRead>): Rejections {
  const rejected: Rejections = new Map();
  for (const { rows } of answers) {
    const dropped = [rows.unplaced, ...[...rows.byKey.values()].map((mine: KeyRows) => mine.rejected)];
    for (const one of dropped) for (const [reason, count] of one) reject(rejected, reason, count);
  }
  return rejected;
}

/** Answer for one series; undefined if no part of it was read. */
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
    if (!part.isOpen)
      return [{ decoded: decodeColumns(rows, key, part.served, { window, faulty }), window, now }];
    const insteadOf = [...series.counterNames()];
    const counters = { dimensions: insteadOf, mayChange: !isPast };
    const columns = values.columns(open, rows.byKey.get(key), { window, now }, counters);
    return [
      { decoded: { ...decodeColumns(rows, key, columns, { window, faulty }), insteadOf }, window, now },
    ];
  });
  const [first, ...others] = answers;
  if (first === undefined || others.length === 0) return first;
  return {
    decoded: mergeDecoded(answers.map(({ decoded }) => decoded)),
    window: first.window,
    now: Math.min(...answers.map(({ now }) => now)),
  };
}
