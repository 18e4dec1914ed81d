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

/** Labels that identify a configuration in alerts. */
export interface ConfigurationName {
  readonly account: string;
  readonly product: string;
  readonly configuration: string;
}

/** Result of evaluating several sets of rules over a history. */
export interface Rehearsed {
  /** Alerts that began within the range, per set of rules. */
  readonly alerts: readonly (readonly RehearsedAlert[])[];
  readonly configurations: readonly ConfigurationName[];
  /** Time of the first sample (ms); undefined if there is none. */
  readonly first: number | undefined;
  /** Returns the recorded series of the first set, as far back as the look-back. */
  readonly recorded: () => Iterable<HeldSamples>;
}

/** Evaluates sets of rules over a history in one pass, from its first sample on. @param onChunk called per chunk of the history */
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
    // A chunk takes seconds: signals and timers run between chunks.
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

/** Yields series as OpenMetrics with timestamps, one series at a time, because there may be thousands. */
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

const BEFORE = 60 * MINUTE;
const AFTER = 30 * MINUTE;

/** An alert that would have fired. */
export interface RehearsedAlert {
  /** All labels, with `alertname` and `severity`. */
  readonly labels: Labels;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** True if the alert still fires when the history ends. */
  readonly open: boolean;
  /** First value, and the value that differs most from the baseline. */
  readonly value: number;
  readonly peak: number;
  /** Baseline and threshold at the alert's start; NaN if unknown. */
  readonly usual: number;
  readonly threshold: number;
  readonly trace: Trace;
}

interface Followed {
  /** Fields that are known so far. */
  readonly told: { -readonly [Key in Exclude<keyof RehearsedAlert, 'trace'>]: RehearsedAlert[Key] };
  readonly judged: JudgedSeries | undefined;
  readonly trace: Trace;
  /** Newest value; NaN after the alert's end. */
  value: number;
}

/** Evaluation of rules over a history, which collects the alerts that fire. */
export class Rehearsal {
  readonly #evaluation: Evaluation;
  readonly #firing = new Map<Alert, Followed>();
  /** Traced alerts, which fire or have ended recently. */
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

  /** Yields the recorded series of the rules, as far back as the look-back. */
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
    const judged = judgedSeries(alert.labels);
    const trace = new Trace(from - BEFORE);
    const { usual, threshold: ofMinute } = this.#point(judged, value, from);
    // An alert for growth or for the mean of an hour has another threshold, which is not recorded.
    const threshold = value >= ofMinute ? ofMinute : Number.NaN;
    const told = { labels: alert.labels, from, to: from, open: true, value, peak: value, usual, threshold };
    const followed = { told, judged, trace, value };
    for (let at = from - BEFORE; at < from; at += MINUTE) trace.add(at, this.#point(judged, Number.NaN, at));
    this.#firing.set(alert, followed);
    this.#followed.add(followed);
    return followed;
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

  /** Returns the values of an alert at a given time. @param own value of the alert itself */
  #point(judged: JudgedSeries | undefined, own: number, moment: number): TracePoint {
    if (judged === undefined) return { value: own, usual: Number.NaN, threshold: Number.NaN };
    const read = (name: string | undefined): number =>
      name === undefined ? Number.NaN : this.#evaluation.read(name, judged.labels, moment);
    return { value: read(judged.value), usual: read(judged.usual), threshold: read(judged.threshold) };
  }
}

/** Values of an alert at a moment, NaN if absent. */
export interface TracePoint {
  readonly value: number;
  readonly usual: number;
  readonly threshold: number;
}

/** Maximum number of points of a chart; longer alerts have fewer points per hour. */
const MOST_POINTS = 720;

/** Values of an alert over time: one point per step, with a bounded number of points. */
export class Trace {
  /** Milliseconds since the epoch. */
  readonly start: number;
  /** Milliseconds between two points. */
  step = MINUTE;
  points: TracePoint[] = [];

  constructor(start: number) {
    this.start = start;
  }

  /** Adds the point of a later time. */
  add(moment: number, point: TracePoint): void {
    if ((moment - this.start) % this.step !== 0) return;
    this.points.push(point);
    if (this.points.length < MOST_POINTS) return;
    this.points = this.points.filter((_, index) => index % 2 === 0);
    this.step *= 2;
  }
}
