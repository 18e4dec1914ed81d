import { PRODUCTS } from '../../src/catalogue/products.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;

const PRODUCT = {
  id: PRODUCTS.find(({ api, slug }) => api === 'metrics' && slug === 'edge_applications')?.id ?? 0,
};

/** Something that happens to an exporter at work. */
export interface Scenario {
  readonly name: string;
  readonly options?: SimulationOptions;
  /** What happens, at the start of each minute after the exporter has become current. */
  at(minute: number, simulation: Simulation): void;
  /** Lines of the log, by their messages, that tell of it: so many, no more. */
  readonly told?: Readonly<Record<string, number>>;
}

/** What was seen of a scenario, from scrapes once a minute. */
export interface Findings {
  /** Buckets whose counters were compared with the platform's truth. */
  readonly buckets: number;
  readonly lostSeries: number;
  readonly doubledSeries: number;
  /** Gauges seen, and those that were not what the platform had of the bucket that they claim to show. */
  readonly gauges: number;
  readonly wrongGauges: number;
  /** Scrapes in which the gauges of a bucket were others than when it was shown first. */
  readonly shownAgain: number;
  /** Minutes in a row, at most, in which `edge_up` was 1, readiness 200, and gauges older than expected. */
  readonly unseenStaleMinutes: number;
  /** Minutes, at most, in which there were no gauges. */
  readonly blankMinutes: number;
  /** Minutes from the last thing that happened until the gauges were current for good. */
  readonly minutesUntilCurrent: number;
  /** Minutes that the counters are behind at the end. */
  readonly countersBehind: number;
  /** How often each warning and error was logged. */
  readonly warnings: Readonly<Record<string, number>>;
  readonly clockSteps: number;
}

const ACCOUNT = {
  reconciliation_share: 0,
  collectors: { metrics: { products: { edge_applications: { metrics: ['status_code'] } } } },
};

/** A bucket may be shown when it is this complete; the embedded platform's are about 95 % at the usual publish delay. */
const LEAST_COMPLETE = 0.85;

/** A scrape falls a little after the minute. */
const SCRAPE_SECONDS = 5;

interface Scraped {
  readonly current: boolean;
  readonly shown: number;
  readonly wrong: number;
  readonly again: boolean;
  readonly trusted: boolean;
}

/** Lets a scenario happen to a whole exporter against the embedded platform, over so many minutes. */
export async function play(scenario: Scenario, minutes: number): Promise<Findings> {
  const simulation = await simulate({
    sandbox: { configurations: 3, domainsPerConfiguration: 1 },
    account: ACCOUNT,
    ...scenario.options,
  });
  const scrapes: Scraped[] = [];
  const values = new Map<string, number>();
  let lastEvent = 0;
  try {
    await simulation.minutes(15);
    await simulation.clock.advance(SCRAPE_SECONDS * 1_000);
    for (let minute = 0; minute < minutes; minute += 1) {
      const before = simulation.clock.now();
      if (happens(scenario, minute, simulation)) lastEvent = scrapes.length;
      const passed = simulation.clock.now() - before;
      await simulation.minutes(Math.max(1, Math.ceil(passed / MINUTE)) - passed / MINUTE);
      scrapes.push(await look(simulation, values));
    }
    return summary(simulation, scrapes, lastEvent);
  } finally {
    await simulation.close();
  }
}

/** What of the findings must not be, in words; empty when the scenario was survived. */
export function unexpected({ told = {} }: Scenario, findings: Findings): string[] {
  const { lostSeries, doubledSeries, wrongGauges, shownAgain, blankMinutes } = findings;
  const none = { lostSeries, doubledSeries, wrongGauges, shownAgain, blankMinutes };
  const problems = Object.entries(none).flatMap(([what, count]) => (count > 0 ? [`${what} ${count}`] : []));
  const most = [
    ['unseenStaleMinutes', findings.unseenStaleMinutes, 1],
    ['minutesUntilCurrent', findings.minutesUntilCurrent, 2],
    ['countersBehind', findings.countersBehind, 13],
  ] as const;
  for (const [what, count, limit] of most) if (count > limit) problems.push(`${what} ${count}`);
  const messages = new Set([...Object.keys(told), ...Object.keys(findings.warnings)]);
  for (const message of messages) {
    const times = findings.warnings[message] ?? 0;
    if (times !== (told[message] ?? 0)) problems.push(`logged ${times} times: ${message}`);
  }
  return problems;
}

/** Whether anything happened: the clock, the time or the faults are others. */
function happens({ at }: Scenario, minute: number, simulation: Simulation): boolean {
  const state = () =>
    [
      simulation.clock.wall() - simulation.clock.now(),
      simulation.clock.now(),
      JSON.stringify(simulation.sandbox.faults.current),
      simulation.sandbox.account.applications.size,
    ].join();
  const before = state();
  at(minute, simulation);
  return state() !== before;
}

async function look(simulation: Simulation, values: Map<string, number>): Promise<Scraped> {
  const { sandbox, clock, exporter } = simulation;
  const { samples } = await simulation.scrape();
  const expected = samples.get(
    seriesKey('edge_expected_age_seconds', {
      account: 'test',
      product: 'edge_applications',
      metric: 'status_code',
    }),
  );
  let [shown, wrong, oldest, again] = [0, 0, 0, false];
  for (const [key, value] of samples) {
    const [name, pairs] = JSON.parse(key) as [string, [string, string][]];
    const labels = Object.fromEntries(pairs);
    if (name === 'edge_data_until_timestamp_seconds') oldest = Math.max(oldest, clock.now() / 1_000 - value);
    if (name !== 'edge_responses_per_minute') continue;
    const from = 1_000 * Number(samples.get(momentKey('edge_last_bucket_timestamp_seconds', labels)));
    shown += 1;
    const bucket = `${key} ${from}`;
    again ||= (values.get(bucket) ?? value) !== value;
    values.set(bucket, value);
    const truth = sandbox.truth({
      api: 'metrics',
      product: PRODUCT.id,
      configuration: Number(labels['configuration_id']),
      metric: 'status_code',
      from,
      to: from + MINUTE,
    })[labels['code'] === 'other' ? String(labels['class']) : String(labels['code'])]?.[0]?.[1];
    if (truth === undefined || value > truth || value < Math.floor(LEAST_COMPLETE * truth) - 2) wrong += 1;
  }
  const up = samples.get(seriesKey('edge_up', { account: 'test' })) === 1;
  const current = shown > 0 && oldest <= (expected ?? 0) + SCRAPE_SECONDS + 1;
  return { shown, wrong, again, current, trusted: up && exporter().notReady().length === 0 };
}

/** The key of a moment of the data that a series with these labels belongs to. */
function momentKey(name: string, labels: Readonly<Record<string, string>>): string {
  const { class: _, code: __, ...target } = labels;
  return seriesKey(name, { ...target, metric: 'status_code' });
}

function summary(simulation: Simulation, scrapes: readonly Scraped[], lastEvent: number): Findings {
  const { log, state, sandbox, clock, metrics } = simulation;
  const audit = auditCounters(state, sandbox);
  const excess = audit.wrong.map((text) => {
    const [, total = '', truth = ''] = /: (\S+), true (\S+)$/.exec(text) ?? [];
    return Number(total) - Number(truth);
  });
  const warnings: Record<string, number> = {};
  for (const { level, message } of log) {
    if (level !== 'info') warnings[message] = (warnings[message] ?? 0) + 1;
  }
  const lastNotCurrent = scrapes.findLastIndex(({ current }) => !current);
  return {
    buckets: audit.buckets,
    lostSeries: excess.filter((amount) => amount < 0).length,
    doubledSeries: excess.filter((amount) => amount > 0).length,
    gauges: scrapes.reduce((sum, { shown }) => sum + shown, 0),
    wrongGauges: scrapes.reduce((sum, { wrong }) => sum + wrong, 0),
    shownAgain: scrapes.filter(({ again }) => again).length,
    unseenStaleMinutes: longestRun(
      scrapes,
      ({ trusted, current, shown }) => trusted && shown > 0 && !current,
    ),
    blankMinutes: longestRun(scrapes, ({ shown }) => shown === 0),
    minutesUntilCurrent: Math.max(0, lastNotCurrent + 1 - lastEvent),
    countersBehind: Math.round((clock.now() - audit.oldestWatermark) / MINUTE),
    warnings,
    clockSteps: metrics.clockSteps.value() ?? 0,
  };
}

function longestRun<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [longest, run] = [0, 0];
  for (const item of items) {
    run = holds(item) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

const SET_FORWARD = 'the machine’s clock was set forward';
const SET_BACK = 'the machine’s clock was set back';
const HOUR = 60 * MINUTE;

function clockStep(name: string, by: number): Scenario {
  return {
    name: `the clock is set ${name}`,
    at: (minute, { clock }) => minute === 5 && clock.setWall(by),
    told: { [by > 0 ? SET_FORWARD : SET_BACK]: 1 },
  };
}

const LISTS = '/metrics/*configurations$';

/** Every edge that is looked at. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing happens', at: () => undefined, told: {} },
  clockStep('forward 7 min', 7 * MINUTE),
  clockStep('back 7 min', -7 * MINUTE),
  clockStep('forward 1 h', HOUR),
  clockStep('back 1 h', -HOUR),
  clockStep('forward 24 h', 24 * HOUR),
  clockStep('back 24 h', -24 * HOUR),
  {
    name: 'the clock is set back and forth, every other minute',
    at: (minute, { clock }) => {
      if (minute < 20 && minute % 2 === 0) clock.setWall(minute % 4 === 0 ? -HOUR : HOUR);
    },
    told: { [SET_FORWARD]: 5, [SET_BACK]: 5 },
  },
  {
    name: 'the clock is an hour behind at the start, and set right',
    options: { skew: -HOUR },
    at: (minute, { clock }) => minute === 5 && clock.setWall(HOUR),
    told: { [SET_FORWARD]: 1 },
  },
  {
    name: 'the process is suspended for 10 min',
    at: (minute, { clock }) => minute === 5 && clock.suspend(10 * MINUTE),
    told: { 'the exporter stood still: the process was suspended, or its event loop blocked': 1 },
  },
  {
    name: 'the lists of configurations are empty once',
    at: (minute, { sandbox: { faults } }) => {
      if (minute === 4) faults.set({ empty_answer: { paths: [LISTS], form: 'list' } });
      if (minute === 5) faults.clear();
    },
    told: {
      'the list of configurations shrank from 3 to 0: it is read again before anything is withdrawn': 1,
    },
  },
];
