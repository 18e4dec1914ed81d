/**
 * What pushing shows that scraping cannot: the share of buckets that can be told apart in the receiver, and how far
 * `increase(…[1h])` is from the platform's own total of the hour. A whole exporter in simulated time pushes to a Prometheus,
 * which has a scrape of it a minute as well: `npm run bench -- push-share [--hours=3]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { productOf } from '../../src/exporter/catalogue/products.ts';
import type { PushedSample } from '../../src/exporter/push/protocol.ts';
import { writeSamples } from '../exporter/push/write-samples.ts';
import { type Simulation, simulate } from '../simulation/simulation.ts';
import { startReceiver } from './programs.ts';
import { type Server, stop } from './scrape-process.ts';
import { quantile } from './statistics.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COUNTER = 'edge_requests_total';
const COUNTED_UNTIL = 'edge_counted_until_timestamp_seconds';

const { values } = parseArgs({ options: { hours: { type: 'string', default: '3' } } });
const hours = Number(values.hours);

/** How often the platform is polled, as the quota allows. */
const SCHEDULES = { 'a poll a minute': '* * * * *', 'a poll every five minutes': '*/5 * * * *' };

interface Seen {
  readonly at: number;
  /** End of the last bucket in the counter (ms), by configuration. */
  readonly countedUntil: ReadonlyMap<string, number>;
}

type Labels = Record<string, string>;

/** Scrapes once, into the receiver, at the simulated time. */
async function scrapeInto({ url }: Server, simulation: Simulation): Promise<Seen> {
  const at = simulation.clock.wall();
  const countedUntil = new Map<string, number>();
  const scraped: PushedSample[] = [];
  for (const [key, value] of (await simulation.scrape()).samples) {
    const [name, pairs] = JSON.parse(key) as [string, [string, string][]];
    const labels: Labels = { ...Object.fromEntries(pairs), job: 'edge' };
    if (name === COUNTED_UNTIL) countedUntil.set(labels['configuration_id'] ?? '', 1_000 * value);
    if (name === COUNTER)
      scraped.push({ series: { family: { name, type: 'counter' }, labels }, value, at, since: undefined });
  }
  await writeSamples(`${url}/api/v1/write`, scraped);
  return { at, countedUntil };
}

/** The values of an expression at a time, by configuration. */
async function query({ url }: Server, expression: string, at: number): Promise<Map<string, number>> {
  const asked = new URLSearchParams({ query: expression, time: String(at / 1_000) });
  const response = await fetch(`${url}/api/v1/query?${asked}`);
  const { data } = (await response.json()) as {
    data: { result: { metric: Labels; value: [number, string] }[] };
  };
  return new Map(
    data.result.map(({ metric, value }) => [metric['configuration_id'] ?? '', Number(value[1])]),
  );
}

/** The platform's buckets of an hour, by configuration: `[start, value]`. */
function bucketsOf(
  { sandbox }: Simulation,
  end: number,
): Map<string, readonly (readonly [number, number])[]> {
  const { api, id: product } = productOf('metrics', 'edge_applications');
  const range = { from: end - HOUR, to: end, metric: 'cdn_requests' };
  return new Map(
    [...sandbox.account.domains].map(({ id }) => [
      String(id),
      sandbox.truth({ api, product, ...range, configuration: id })['total'] ?? [],
    ]),
  );
}

interface Share {
  buckets: number;
  /** Pushed: the counter tells the bucket's value at the bucket's own end. */
  pushed: number;
  /** Scraped: two scrapes in a row differ by this bucket alone, whenever that was. */
  scraped: number;
  /** And one of them stands within the bucket's own minute. */
  scrapedInTime: number;
}

async function shareOf(receiver: Server, simulation: Simulation, seen: readonly Seen[], hour: number) {
  const share: Share = { buckets: 0, pushed: 0, scraped: 0, scrapedInTime: 0 };
  for (const [id, buckets] of bucketsOf(simulation, hour)) {
    const steps = seen.slice(1).map(({ at, countedUntil }, index) => ({
      at,
      from: seen[index]?.countedUntil.get(id),
      to: countedUntil.get(id),
    }));
    for (const [start, value] of buckets) {
      const end = start + MINUTE;
      const selector = `${COUNTER}{job="",configuration_id="${id}"}`;
      const [difference] = (await query(receiver, `${selector} - ${selector} offset 1m`, end)).values();
      const shown = steps.filter(({ from, to }) => from === start && to === end);
      share.buckets += 1;
      if (difference === value) share.pushed += 1;
      if (shown.length > 0) share.scraped += 1;
      if (shown.some(({ at }) => at <= end)) share.scrapedInTime += 1;
    }
  }
  return share;
}

/** How far the increases of an hour are from the platform's totals: the median and the largest deviation, in percent. */
async function deviation(receiver: Server, simulation: Simulation, job: string, hour: number) {
  const increases = await query(receiver, `increase(${COUNTER}{job="${job}"}[1h])`, hour);
  const deviations = [...bucketsOf(simulation, hour)].flatMap(([id, buckets]) => {
    const truth = buckets.reduce((sum, [, value]) => sum + value, 0);
    // Of nothing there is no share.
    return truth === 0 ? [] : [100 * Math.abs((increases.get(id) ?? 0) / truth - 1)];
  });
  return { median: quantile(deviations, 0.5), most: quantile(deviations, 1) };
}

async function measure(name: string, schedule: string, folder: string): Promise<void> {
  const receiver = await startReceiver(folder, { storage: { tsdb: { out_of_order_time_window: '1d' } } });
  const start = Math.floor((Date.now() - (hours + 1) * HOUR) / HOUR) * HOUR;
  const simulation = await simulate({
    start,
    account: {
      collectors: {
        metrics: { schedule, products: { edge_applications: { metrics: ['cdn_requests'] } } },
      },
    },
    push: [{ name: 'central', kind: 'remote_write', url: `${receiver.url}/api/v1/write` }],
  });
  try {
    const seen: Seen[] = [];
    for (let minute = 0; minute < hours * 60 + 30; minute++) {
      await simulation.minutes(1);
      seen.push(await scrapeInto(receiver, simulation));
    }
    const hour = start + hours * HOUR;
    const share = await shareOf(receiver, simulation, seen, hour);
    const percent = (count: number) => `${((100 * count) / share.buckets).toFixed(1)} %`;
    const [pushed, scraped] = [
      await deviation(receiver, simulation, '', hour),
      await deviation(receiver, simulation, 'edge', hour),
    ];
    const row = (what: string, own: string, its: string) => `| ${what} | ${own} | ${its} |\n`;
    const off = ({ median, most }: typeof pushed) => `${median.toFixed(2)} % (at most ${most.toFixed(2)} %)`;
    process.stdout.write(
      [
        row(`${name}, ${share.buckets} buckets of an hour`, 'pushed', 'scraped'),
        row('---', '--:', '--:'),
        row('in their own minute', percent(share.pushed), percent(share.scrapedInTime)),
        row('each by itself, at whatever time', percent(share.pushed), percent(share.scraped)),
        row('increase(…[1h]) off by', off(pushed), off(scraped)),
        '\n',
      ].join(''),
    );
  } finally {
    await simulation.close();
    await stop(receiver);
  }
}

const home = mkdtempSync(join(tmpdir(), 'edge-exporter-share-'));
try {
  for (const [name, schedule] of Object.entries(SCHEDULES))
    await measure(name, schedule, join(home, name.replaceAll(' ', '-')));
} finally {
  rmSync(home, { recursive: true, force: true });
}
