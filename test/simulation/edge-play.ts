import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openState } from '../../src/exporter/state/open-state.ts';
import { CounterWatch } from './counter-watch.ts';
import { type Scrape, Scraper } from './edge-scrape.ts';
import { type LogLine, type Simulation, type SimulationOptions, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;

/** Simulation and state directory on which a scenario acts. */
export interface World {
  readonly simulation: Simulation;
  readonly stateDirectory: string;
}

/** Events that happen to a running exporter, and their expected effects. */
export interface Scenario {
  readonly name: string;
  readonly options?: SimulationOptions;
  readonly keepsState?: boolean;
  readonly events: Readonly<Record<number, (world: World) => unknown>>;
  /** Expected number of log lines about the events, by message. */
  readonly told?: Readonly<Record<string, number>>;
  readonly page?: RegExp;
  /** Metrics of the exporter that report the events. */
  readonly metrics?: readonly string[];
  /** Allowed minutes without any gauges; undefined: 0. */
  readonly blank?: number;
  /** Allowed minutes until the gauges are current; default: 2. */
  readonly current?: number;
  readonly settlesWithin?: number;
  readonly unknowable?: Readonly<Record<string, string>>;
  /**
   * Time span whose buckets the platform has lost permanently, so that counters skip them; undefined if there
   * is none.
   */
  readonly lost?: { readonly from: number; readonly to: number };
}

/** Findings of a scenario, from one scrape per minute. */
export interface Findings {
  /** Number of buckets whose counters were compared with the platform's true values. */
  readonly buckets: number;
  readonly lostSeries: number;
  readonly doubledSeries: number;
  /** Number of decreases of counters. */
  readonly decreases: number;
  /** Number of gauges, and number of gauges that differed from the platform's value for their bucket. */
  readonly gauges: number;
  readonly wrongGauges: number;
  /** Number of lower bounds that were too high. */
  readonly wrongBounds: number;
  /** Number of scrapes in which the gauges of a bucket differed from their first values. */
  readonly shownAgain: number;
  /** Maximum number of consecutive minutes with stale gauges although `edge_up` was 1 and readiness 200. */
  readonly unseenStaleMinutes: number;
  /** Maximum number of consecutive minutes without gauges. */
  readonly blankMinutes: number;
  /**
   * Minutes from the last event until the gauges stay current. `minutesUntilCounted` is the same for
   * counters.
   */
  readonly minutesUntilCurrent: number;
  readonly minutesUntilCounted: number;
  readonly settleSeconds: number;
  readonly warnings: Readonly<Record<string, number>>;
  readonly page: readonly string[];
  /** The exporter's own metrics of trouble that were not 0, with their values. */
  readonly metrics: Readonly<Record<string, number>>;
}

const ACCOUNT = {
  reconciliation_share: 0,
  collectors: { metrics: { products: { edge_applications: { metrics: ['status_code'] } } } },
};

/** Poll interval in minutes. Stale gauges may not last longer while `edge_up` is 1 and readiness 200. */
const POLL_INTERVAL = 1;

const SCRAPE_SECONDS = 5;

/** Minutes after the last event within which the counters must become current. */
const COUNTED_WITHIN = 45;

const USUAL_SETTLE_SECONDS = 600;

/**
 * Plays a scenario with a whole exporter and the sandbox.
 * @param kept state of the exporter, unless the scenario has its own
 */
export async function play(
  scenario: Scenario,
  kept: Pick<SimulationOptions, 'state' | 'busy'>,
): Promise<Findings> {
  const minutes = Math.max(0, ...Object.keys(scenario.events).map(Number)) + COUNTED_WITHIN + 2;
  const folder = await mkdtemp(join(tmpdir(), 'edges-'));
  const stateDirectory = join(folder, 'state');
  const stateLog: LogLine[] = [];
  const note = (level: LogLine['level']) => (message: string) =>
    void stateLog.push({ level, facts: {}, message: message.replaceAll(folder, '') });
  const simulation = await simulate({
    sandbox: { configurations: 2, domainsPerConfiguration: 1 },
    account: ACCOUNT,
    ...kept,
    ...(scenario.keepsState === true && {
      state: (clock) => openState(stateDirectory, { info: note('info'), warn: note('warn') }, { clock }),
    }),
    ...scenario.options,
  });
  try {
    await simulation.minutes(15);
    await simulation.clock.advance(SCRAPE_SECONDS * 1_000);
    const scraper = new Scraper(simulation);
    const watch = new CounterWatch();
    const scrapes: Scrape[] = [];
    let lastEvent = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      const before = simulation.clock.now();
      const event = scenario.events[minute];
      if (event !== undefined) lastEvent = scrapes.length;
      await event?.({ simulation, stateDirectory });
      const passed = (simulation.clock.now() - before) / MINUTE;
      await simulation.minutes(Math.max(1, Math.ceil(passed)) - passed);
      const scrape = await scraper.scrape();
      watch.see(scrape.exposition);
      scrapes.push(scrape);
    }
    const log = [...simulation.log, ...stateLog];
    return findings(simulation, { scrapes, lastEvent, log, decreases: watch.decreases.length, scenario });
  } finally {
    await simulation.close();
    await rm(folder, { recursive: true });
  }
}

interface Seen {
  readonly scenario: Scenario;
  readonly scrapes: readonly Scrape[];
  readonly lastEvent: number;
  readonly log: readonly LogLine[];
  readonly decreases: number;
}

function findings(simulation: Simulation, { scrapes, lastEvent, log, decreases, scenario }: Seen): Findings {
  const audit = auditCounters(simulation.state, simulation.sandbox, scenario.lost);
  const excess = audit.wrong.map((text) => {
    const [, total = '', truth = ''] = /: (\S+), true (\S+)$/.exec(text) ?? [];
    return Number(total) - Number(truth);
  });
  const warnings: Record<string, number> = {};
  for (const { level, message } of log) {
    if (level !== 'info') warnings[message] = (warnings[message] ?? 0) + 1;
  }
  const sum = (of: (scrape: Scrape) => number) => scrapes.reduce((all, scrape) => all + of(scrape), 0);
  const until = (isCurrent: (scrape: Scrape) => boolean) =>
    Math.max(0, scrapes.findLastIndex((scrape) => !isCurrent(scrape)) + 1 - lastEvent);
  const metrics: Record<string, number> = {};
  for (const { trouble } of scrapes) {
    for (const [name, value] of trouble) metrics[name] = Math.max(metrics[name] ?? 0, value);
  }
  return {
    buckets: audit.buckets,
    lostSeries: excess.filter((amount) => amount < 0).length,
    doubledSeries: excess.filter((amount) => amount > 0).length,
    decreases,
    gauges: sum(({ shown }) => shown),
    wrongGauges: sum(({ wrong }) => wrong),
    wrongBounds: sum(({ wrongBounds }) => wrongBounds),
    shownAgain: scrapes.filter(({ again }) => again).length,
    unseenStaleMinutes: longestRun(scrapes, ({ trusted, stale }) => trusted && stale),
    blankMinutes: longestRun(scrapes, ({ shown }) => shown === 0),
    minutesUntilCurrent: until(({ current }) => current),
    minutesUntilCounted: until(({ counted }) => counted),
    settleSeconds: Math.max(...scrapes.map(({ settleSeconds }) => settleSeconds)),
    warnings,
    page: [...new Set(scrapes.flatMap(({ page }) => page))],
    metrics,
  };
}

/** Returns the findings that must not occur, as text; empty if there are none. */
export function unexpected(scenario: Scenario, found: Findings): string[] {
  const { lostSeries, doubledSeries, decreases, wrongGauges, wrongBounds, shownAgain } = found;
  const none = { lostSeries, doubledSeries, decreases, wrongGauges, wrongBounds, shownAgain };
  const most: readonly (readonly [string, number, number])[] = [
    ...Object.entries(none).map(([what, count]) => [what, count, 0] as const),
    ['blankMinutes', found.blankMinutes, scenario.blank ?? 0],
    ['unseenStaleMinutes', found.unseenStaleMinutes, POLL_INTERVAL],
    ['minutesUntilCurrent', found.minutesUntilCurrent, scenario.current ?? 2],
    ['minutesUntilCounted', found.minutesUntilCounted, COUNTED_WITHIN],
  ];
  const { told = {}, page, metrics = [], settlesWithin } = scenario;
  const messages = new Set([...Object.keys(told), ...Object.keys(found.warnings)]);
  return [
    ...most.flatMap(([what, count, limit]) =>
      count > limit && scenario.unknowable?.[what] === undefined ? [`${what} ${count}`] : [],
    ),
    ...[...messages].flatMap((message) => {
      const times = found.warnings[message] ?? 0;
      return times === (told[message] ?? 0) ? [] : [`logged ${times} times: ${message}`];
    }),
    ...(found.settleSeconds <= (settlesWithin ?? USUAL_SETTLE_SECONDS) &&
    found.settleSeconds > USUAL_SETTLE_SECONDS === (settlesWithin !== undefined)
      ? []
      : [`settleSeconds ${found.settleSeconds}`]),
    ...(page === undefined || found.page.some((said) => page.test(said))
      ? []
      : [`the page never said ${page}`]),
    ...metrics.flatMap((name) => ((found.metrics[name] ?? 0) > 0 ? [] : [`no metric ${name}`])),
  ];
}

function longestRun<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [longest, run] = [0, 0];
  for (const item of items) {
    run = holds(item) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
