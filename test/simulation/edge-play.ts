import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openState } from '../../src/exporter/state/open-state.ts';
import { CounterWatch } from './counter-watch.ts';
import { type Scrape, Scraper } from './edge-scrape.ts';
import { type LogLine, type Simulation, type SimulationOptions, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;

/** Parts that a scenario acts on. */
export interface World {
  readonly simulation: Simulation;
  readonly stateDirectory: string;
}

/** Something that happens to an exporter at work. */
export interface Scenario {
  readonly name: string;
  readonly options?: SimulationOptions;
  readonly keepsState?: boolean;
  readonly events: Readonly<Record<number, (world: World) => unknown>>;
  /** Expected number of log lines that report it, by message. */
  readonly told?: Readonly<Record<string, number>>;
  readonly page?: RegExp;
  /** Metrics of the exporter that report it. */
  readonly metrics?: readonly string[];
  /** Minutes without any gauges that cannot be helped. */
  readonly blank?: number;
  /** Minutes until the gauges are current that cannot be helped; default 2. */
  readonly current?: number;
  readonly settlesWithin?: number;
  readonly unknowable?: Readonly<Record<string, string>>;
  /** Buckets that are skipped since the platform has lost them for good, and when that was. */
  readonly lost?: { readonly from: number; readonly to: number };
}

/** Findings of a scenario, from scrapes once a minute. */
export interface Findings {
  /** Buckets whose counters were compared with the platform's truth. */
  readonly buckets: number;
  readonly lostSeries: number;
  readonly doubledSeries: number;
  /** Counters that were seen to go back. */
  readonly decreases: number;
  /** Gauges that were seen, and those whose value was not the platform's for their bucket. */
  readonly gauges: number;
  readonly wrongGauges: number;
  /** Lower bounds that turned out to be too high. */
  readonly wrongBounds: number;
  /** Scrapes in which the gauges of a bucket were others than when it was shown first. */
  readonly shownAgain: number;
  /** Minutes in a row, at most, in which `edge_up` was 1, readiness 200, and gauges older than expected. */
  readonly unseenStaleMinutes: number;
  /** Minutes, at most, in which there were no gauges. */
  readonly blankMinutes: number;
  /** Minutes from the last thing that happened until the gauges were current for good, and the counters. */
  readonly minutesUntilCurrent: number;
  readonly minutesUntilCounted: number;
  readonly settleSeconds: number;
  readonly warnings: Readonly<Record<string, number>>;
  readonly page: readonly string[];
  /** The exporter's own metrics of trouble that were not 0. */
  readonly metrics: Readonly<Record<string, number>>;
}

const ACCOUNT = {
  reconciliation_share: 0,
  collectors: { metrics: { products: { edge_applications: { metrics: ['status_code'] } } } },
};

/** In minutes; stale gauges beside `edge_up` 1 and readiness 200 may be seen for no longer. */
const POLL_INTERVAL = 1;

const SCRAPE_SECONDS = 5;

/** Minutes after the last thing that happens in which the counters must have become current. */
const COUNTED_WITHIN = 45;

const USUAL_SETTLE_SECONDS = 600;

/** Plays a scenario against a whole exporter and the sandbox. @param kept state of the exporter, unless the scenario has its own */
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

/** Returns the findings that must not occur, as text; empty if the scenario was survived. */
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
