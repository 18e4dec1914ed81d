import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeLabels } from '../../exporter/exposition/label-text.ts';
import { formatValue } from '../../exporter/exposition/text-format.ts';
import type { Alert } from '../promql/evaluation.ts';
import { type Chunk, Evaluation } from '../promql/evaluation.ts';
import type { HeldSamples } from '../promql/sample-table.ts';
import type { Labels } from '../promql/vector.ts';
import { MINUTE } from '../shipped/times.ts';
import type { RehearsalHistory } from './history.ts';
import { isShown, type JudgedSeries, judgedSeries, type RehearsedRules } from './rehearsed-rules.ts';

/** A configuration as alerts name it. */
export interface ConfigurationName {
  readonly account: string;
  readonly product: string;
  readonly configuration: string;
}

/** What a history gives with each of several sets of rules. */
export interface Rehearsed {
  /** Of each set of rules: the alerts that began within the range, in their order. */
  readonly alerts: readonly (readonly RehearsedAlert[])[];
  readonly configurations: readonly ConfigurationName[];
  /** When the first sample is (ms); undefined where there is none. */
  readonly first: number | undefined;
  /** What the recording rules of the first set have left at the end, as far back as rules look. */
  readonly recorded: () => Iterable<HeldSamples>;
}

/**
 * Evaluates sets of rules over a history, from its first sample on, all of them in one go.
 * @param onChunk called for each chunk of the history
 */
export async function rehearse(
  history: RehearsalHistory,
  rules: readonly RehearsedRules[],
  signal: AbortSignal,
  onChunk: () => void = () => undefined,
): Promise<Rehearsed> {
  const rehearsals = rules.map((one) => new Rehearsal(one));
  const configurations = new Map<string, ConfigurationName>();
  let first: number | undefined;
  for await (const chunk of history.chunks()) {
    // Signals and timers have their turn between chunks: evaluating one takes seconds.
    await nextTurn(undefined, { signal });
    onChunk();
    if (first === undefined && chunk.inputs.length === 0) continue;
    first ??= chunk.start;
    for (const { labels } of chunk.inputs) {
      const { account, product, configuration } = labels;
      if (account === undefined || product === undefined || configuration === undefined) continue;
      const key = JSON.stringify([account, product, configuration]);
      if (!configurations.has(key)) configurations.set(key, { account, product, configuration });
    }
    for (const rehearsal of rehearsals) rehearsal.advance(chunk);
  }
  const within = ({ from }: RehearsedAlert): boolean => from >= history.from && from < history.to;
  return {
    alerts: rehearsals.map((rehearsal) => rehearsal.end().filter(within)),
    configurations: [...configurations.values()],
    first,
    recorded: () => rehearsals[0]?.recorded() ?? [],
  };
}

/** Series as OpenMetrics with times, as `backfill` writes its own: of one series at a time, since there may be thousands. */
export function* recordedText(series: Iterable<HeldSamples>): Generator<string, void> {
  let last: string | undefined;
  for (const { name, labels, samples } of series) {
    if (name !== last) yield `# TYPE ${name} gauge\n`;
    last = name;
    const of = name + writeLabels(Object.keys(labels), labels);
    yield samples.map(([at, value]) => `${of} ${formatValue(value)} ${at / 1_000}\n`).join('');
  }
  yield '# EOF\n';
}

/** How much of the time before and after an alert is shown with it. */
const BEFORE = 60 * MINUTE;
const AFTER = 30 * MINUTE;

/** An alert that would have fired. */
export interface RehearsedAlert {
  /** With its name (`alertname`), its severity, and all others. */
  readonly labels: Labels;
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Whether it fires on when the history ends. */
  readonly open: boolean;
  /** The value with which it began, and the one furthest from what is usual while it fired. */
  readonly value: number;
  readonly peak: number;
  /** When it began; NaN where there is none, or none is known. */
  readonly usual: number;
  readonly threshold: number;
  readonly trace: Trace;
}

/** An alert that fires, or did a little while ago. */
interface Followed {
  /** What is known of it by now. */
  readonly told: { -readonly [Key in Exclude<keyof RehearsedAlert, 'trace'>]: RehearsedAlert[Key] };
  readonly judged: JudgedSeries | undefined;
  readonly trace: Trace;
  /** The value of the newest evaluation that had one; NaN once it has ended. */
  value: number;
}

/** Rules as they are evaluated over a history, and the alerts that they would have fired. */
export class Rehearsal {
  readonly #evaluation: Evaluation;
  readonly #firing = new Map<Alert, Followed>();
  /** All that are traced: those that fire, and those that did not long ago. */
  readonly #followed = new Set<Followed>();
  readonly #alerts: RehearsedAlert[] = [];

  constructor({ groups }: RehearsedRules) {
    this.#evaluation = new Evaluation({
      groups,
      step: MINUTE,
      readable: BEFORE,
      observer: {
        firing: (alert, moment, value) => this.#fires(alert, moment, value),
        fired: (alert, { to }, open) => this.#ends(alert, to, open),
      },
    });
  }

  /** Evaluates the rules over the next part of the history. */
  advance(chunk: Chunk): void {
    this.#evaluation.advance(chunk, (index) => this.#trace(chunk.start + index * MINUTE));
  }

  /** What rules have recorded, as far back as they look, without what is recorded to be shown alone. */
  *recorded(): Generator<HeldSamples, void> {
    for (const series of this.#evaluation.recorded()) if (!isShown(series.name)) yield series;
  }

  /** Ends the history. @returns the alerts in the order in which they began */
  end(): readonly RehearsedAlert[] {
    this.#evaluation.end();
    for (const { told, trace } of this.#followed) this.#alerts.push({ ...told, trace });
    return this.#alerts.sort((a, b) => a.from - b.from);
  }

  #fires(alert: Alert, moment: number, value: number): void {
    const followed = this.#firing.get(alert) ?? this.#follow(alert, moment, value);
    if (Number.isNaN(value)) return;
    followed.value = value;
    const further = alert.labels['alertname'] === 'EdgeTrafficDrop' ? Math.min : Math.max;
    followed.told.peak = further(followed.told.peak, value);
  }

  #follow(alert: Alert, from: number, value: number): Followed {
    const judged = this.#applied(judgedSeries(alert.labels), value, from);
    const trace = new Trace(from - BEFORE);
    const { usual, threshold } = this.#point(judged, value, from);
    const told = { labels: alert.labels, from, to: from, open: true, value, peak: value, usual, threshold };
    const followed = { told, judged, trace, value };
    for (let at = from - BEFORE; at < from; at += MINUTE) trace.add(at, this.#point(judged, Number.NaN, at));
    this.#firing.set(alert, followed);
    this.#followed.add(followed);
    return followed;
  }

  /** What is judged, with the threshold that applied: of an hour where the value is above that alone. */
  #applied(judged: JudgedSeries | undefined, value: number, from: number): JudgedSeries | undefined {
    if (judged?.ofHour === undefined) return judged;
    const ofHour = { ...judged, thresholds: [judged.ofHour] };
    const [minute, hour] = [judged, ofHour].map((one) => this.#point(one, value, from).threshold) as [
      number,
      number,
    ];
    return value < minute && value >= hour ? ofHour : judged;
  }

  #ends(alert: Alert, to: number, open: boolean): void {
    const followed = this.#firing.get(alert);
    if (followed === undefined) return;
    Object.assign(followed.told, { to, open });
    followed.value = Number.NaN;
    this.#firing.delete(alert);
  }

  #trace(moment: number): void {
    const firing = new Set(this.#firing.values());
    for (const followed of this.#followed) {
      const { told, trace, judged, value } = followed;
      trace.add(moment, this.#point(judged, value, moment));
      if (firing.has(followed) || moment < told.to + AFTER) continue;
      this.#followed.delete(followed);
      this.#alerts.push({ ...told, trace });
    }
  }

  /** What there is to see of an alert at a moment; `own` is the value of the alert itself. */
  #point(judged: JudgedSeries | undefined, own: number, moment: number): TracePoint {
    if (judged === undefined) return { value: own, usual: Number.NaN, threshold: Number.NaN };
    const read = (name: string | undefined): number =>
      name === undefined ? Number.NaN : this.#evaluation.read(name, judged.labels, moment);
    const threshold = judged.thresholds.map(read).find((value) => !Number.isNaN(value)) ?? Number.NaN;
    return { value: read(judged.value), usual: read(judged.usual), threshold };
  }
}

/** What there was to see of an alert at a moment, NaN where there was nothing. */
export interface TracePoint {
  readonly value: number;
  readonly usual: number;
  readonly threshold: number;
}

/** More points than a chart can show: what lasts for days is kept more coarsely. */
const MOST_POINTS = 720;

/** What an alert looks like over time: one point for each step. Whatever it is of, it does not grow without end. */
export class Trace {
  /** ms since the epoch. */
  readonly start: number;
  /** Between two points: ms. */
  step = MINUTE;
  points: TracePoint[] = [];

  constructor(start: number) {
    this.start = start;
  }

  /** Adds the point of a moment that comes after all before. */
  add(moment: number, point: TracePoint): void {
    if ((moment - this.start) % this.step !== 0) return;
    this.points.push(point);
    if (this.points.length < MOST_POINTS) return;
    this.points = this.points.filter((_, index) => index % 2 === 0);
    this.step *= 2;
  }
}
