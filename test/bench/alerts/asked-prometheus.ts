import { parseDuration } from '../../../src/exporter/text/figures.ts';
import {
  AlertState,
  Evaluation,
  type EvaluationObserver,
  type Group,
  labelsOfAlert,
  timingOf,
  type WrittenAlertingRule,
} from '../../../src/rules/promql/evaluation.ts';
import { keyOf, type Labels } from '../../../src/rules/promql/vector.ts';
import type { PrometheusApi, QueriedSeries } from '../../end-to-end/prometheus-api.ts';
import type { FiredAlert } from '../../rules/evaluate.ts';
import { type AskedRule, askedRules } from './asked-rules.ts';
import type { History } from './history.ts';
import { type WrittenSeries, writeSeries } from './remote-write.ts';

const MINUTE = 60_000;

/**
 * Number of moments per range query. Prometheus answers at most 11,000; with many accounts, it closes the
 * connection earlier.
 */
const AT_ONCE = 2_520;

const TOLERANCE = 1e-9;

/** Results of the rules in Prometheus, compared with our own evaluation. */
export interface PrometheusAnswers {
  readonly fired: readonly FiredAlert[];
  readonly own: readonly FiredAlert[];
  /** Number of recorded values that were compared, and number of differences. */
  readonly values: number;
  readonly differing: number;
  readonly remarks: readonly string[];
}

/**
 * Queries a Prometheus for every rule at every evaluation. This Prometheus stores the series that the
 * benchmark's own evaluation recorded. Each evaluation depends only on earlier ones. So if all results are
 * equal, a Prometheus that evaluates the rules itself has the same results.
 */
export async function askPrometheus(
  prometheus: PrometheusApi & { readonly url: string },
  groups: readonly Group[],
  { inputs, minutes }: Pick<History, 'inputs' | 'minutes'>,
): Promise<PrometheusAnswers> {
  const { recorded, own } = ownEvaluation(groups, { inputs, minutes });
  const scraped = inputs.map((input) => ({ ...input, interval: MINUTE }));
  await writeSeries(prometheus.url, [
    ...scraped,
    ...[...recorded.values()].flatMap((all) => [...all.values()]),
  ]);
  const fired: FiredAlert[] = [];
  const remarks: string[] = [];
  let [values, differing] = [0, 0];
  const rules = askedRules(groups);
  for (const [index, asked] of rules.entries()) {
    if (index % 20 === 0) process.stderr.write(`asked for ${index} of ${rules.length} rules\n`);
    const answer = await wholeAnswer(prometheus, asked, minutes);
    const { rule, interval } = asked;
    if (!('record' in rule)) {
      fired.push(...firings(rule, answer, interval, minutes));
      continue;
    }
    const found = compare(answer, recorded.get(rule.record) ?? new Map(), (minutes * MINUTE) / interval);
    values += found.values;
    differing += found.differing;
    if (found.first !== undefined) remarks.push(`${rule.record}: ${found.differing} differ, ${found.first}`);
  }
  return { fired, own, values, differing, remarks };
}

type SeriesByLabels = ReadonlyMap<string, WrittenSeries>;

interface OwnEvaluation {
  readonly recorded: ReadonlyMap<string, SeriesByLabels>;
  readonly own: readonly FiredAlert[];
}

function ownEvaluation(
  groups: readonly Group[],
  { inputs, minutes }: Pick<History, 'inputs' | 'minutes'>,
): OwnEvaluation {
  const intervals = new Map(
    groups.flatMap(({ interval, rules }) =>
      rules.flatMap((rule) =>
        'record' in rule ? [[rule.record, parseDuration(interval) ?? MINUTE] as const] : [],
      ),
    ),
  );
  const found = new Map<string, WrittenSeries[]>();
  const recorded = (name: string, series: readonly Labels[], moment: number, values: Float64Array): void => {
    const interval = intervals.get(name) ?? MINUTE;
    const known = found.get(name) ?? [];
    found.set(name, known);
    while (known.length < series.length) {
      const empty = new Float64Array((minutes * MINUTE) / interval).fill(Number.NaN);
      known.push({ name, labels: series[known.length] ?? {}, interval, values: empty });
    }
    for (const [place, { values: all }] of known.entries()) all[moment / interval] = values[place] as number;
  };
  const own: FiredAlert[] = [];
  const observer: EvaluationObserver = {
    recorded,
    fired: ({ labels }, firing, open) => own.push({ ...firing, labels, open }),
  };
  const evaluation = new Evaluation({ groups, step: MINUTE, observer });
  evaluation.advance({ start: 0, steps: minutes, inputs });
  evaluation.end();
  const byLabels = (all: readonly WrittenSeries[]) => new Map(all.map((one) => [keyOf(one.labels), one]));
  return { recorded: new Map([...found].map(([name, all]) => [name, byLabels(all)])), own };
}

type Answer = ReadonlyMap<string, { readonly labels: Labels; readonly values: Float64Array }>;

async function wholeAnswer(
  { queryRange }: PrometheusApi,
  { query, interval }: AskedRule,
  minutes: number,
): Promise<Answer> {
  const evaluations = (minutes * MINUTE) / interval;
  const answer = new Map<string, { readonly labels: Labels; readonly values: Float64Array }>();
  const take = ({ labels: { __name__, ...labels }, samples }: QueriedSeries): void => {
    const key = keyOf(labels);
    const one = answer.get(key) ?? { labels, values: new Float64Array(evaluations).fill(Number.NaN) };
    answer.set(key, one);
    for (const { at, value } of samples) one.values[at / interval] = value;
  };
  for (let first = 0; first < evaluations; first += AT_ONCE) {
    const last = Math.min(evaluations, first + AT_ONCE) - 1;
    (await queryRange(query, { start: first * interval, end: last * interval, step: interval })).forEach(
      take,
    );
  }
  return answer;
}

function compare(answer: Answer, ours: SeriesByLabels, evaluations: number) {
  const none = new Float64Array(evaluations).fill(Number.NaN);
  let [values, differing] = [0, 0];
  let first: string | undefined;
  for (const key of new Set([...answer.keys(), ...ours.keys()])) {
    const [theirs, own] = [answer.get(key)?.values ?? none, ours.get(key)?.values ?? none];
    for (let index = 0; index < evaluations; index++) {
      const [a, b] = [theirs[index] as number, own[index] as number];
      if (Number.isNaN(a) && Number.isNaN(b)) continue;
      values += 1;
      if (Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b))) continue;
      differing += 1;
      first ??= `${key} at evaluation ${index}: ${a}, here ${b}`;
    }
  }
  return { values, differing, first };
}

function firings(
  rule: WrittenAlertingRule,
  answer: Answer,
  interval: number,
  minutes: number,
): readonly FiredAlert[] {
  return [...answer.values()].flatMap(({ labels: element, values }) => {
    const state = new AlertState(timingOf(rule));
    const labels = labelsOfAlert(rule, element);
    const fired: FiredAlert[] = [];
    for (const [index, value] of values.entries()) {
      const ended = state.evaluate(index * interval, !Number.isNaN(value));
      if (ended !== undefined) fired.push({ ...ended, labels, open: false });
    }
    if (state.firingSince !== undefined)
      fired.push({ from: state.firingSince, to: minutes * MINUTE, labels, open: true });
    return fired;
  });
}
