import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HistoryState } from '../../../src/exporter/backfill/history-state.ts';
import { facesOf } from '../../../src/exporter/catalogue/catalogue.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { writeLabels } from '../../../src/exporter/exposition/label-text.ts';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import {
  accountsAt,
  type HistoryBed,
  historyBed,
  NOW,
  noting,
  seriesOf,
  TWO_METRICS,
} from './history-bed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EDGE_APPLICATIONS = productOf('metrics', 'edge_applications');

const FAULTS: FaultSettings = {
  server_error: { probability: 0.05 },
  connection_reset: { probability: 0.03 },
  malformed_body: { probability: 0.03 },
  truncated_body: { probability: 0.02 },
  wrong_types: { probability: 0.05 },
  empty_answer: { probability: 0.005 },
};

function textOf({ folder }: HistoryBed, name = 'history.om'): Promise<string> {
  return readFile(join(folder, name), 'utf8');
}

function compare({ sandbox }: HistoryBed, text: string, from: number, to: number): number {
  const series = seriesOf(text);
  let compared = 0;
  for (const domain of sandbox.account.domains) {
    for (const metric of ['cdn_requests', 'waf']) {
      const product = EDGE_APPLICATIONS.id;
      const truth = sandbox.truth({ api: 'metrics', product, configuration: domain.id, metric, from, to });
      for (const [dimension, points] of Object.entries(truth)) {
        const { gauge, counter, labels } = facesOf(metric, dimension, { scope: 'configuration' });
        const common = { account: 'test', product: 'edge_applications', configuration_id: String(domain.id) };
        const all = { ...common, configuration: 'shop', ...labels };
        const text = writeLabels(Object.keys(all), all);
        const gauges = points.map(([start, value]) => ({ at: start + MINUTE, value }));
        expect(series.get(gauge.family.name + text)).toEqual(gauges);
        const counted = [{ at: from + 1, value: 0 }];
        for (const { at, value } of gauges)
          counted.push({ at, value: value + Number(counted.at(-1)?.value) });
        expect(series.get(String(counter?.family.name) + text)).toEqual(counted);
        compared += 2;
      }
    }
  }
  expect(series.size).toBe(compared);
  return compared;
}

describe('a history', () => {
  it('holds every settled bucket of the range once, in every series, as the platform has it', async () => {
    const bed = await historyBed();
    await bed.run({ from: NOW - 7 * HOUR - 13 * MINUTE });
    const [from, to] = [Date.UTC(2026, 0, 5, 3, 8), Date.UTC(2026, 0, 5, 10, 10)];
    expect(compare(bed, await textOf(bed), from, to)).toBe(2 * 12 * 2);
    // Requests: one list of configurations, one read to find the kind of ids, one to find the source, and one
    // for each window.
    expect(bed.sandbox.requests.total).toBe(3 + 8 * 4);
    expect(await readdir(bed.folder)).toEqual(['history.om']);
  });

  it('of less than a window is read in the same fine buckets', async () => {
    const bed = await historyBed();
    const [from, to] = [Date.UTC(2026, 0, 5, 8, 58), Date.UTC(2026, 0, 5, 9, 3)];
    await bed.run({ from, to });
    compare(bed, await textOf(bed), from, to);
  });

  it('is a document of OpenMetrics: a header before each family, and an end', async () => {
    const bed = await historyBed();
    await bed.run({ from: NOW - HOUR, labels: { job: 'edge', instance: 'exporter:9801' } });
    const lines = (await textOf(bed)).split('\n');
    expect(lines.slice(-2)).toEqual(['# EOF', '']);
    const families = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(families).toHaveLength(new Set(families).size);
    let family = '';
    for (const line of lines.slice(0, -2)) {
      const header = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (header !== undefined) family = header;
      else
        expect(line).toMatch(
          new RegExp(`^${family}(_total)?\\{job="edge",instance="exporter:9801",account="test"`),
        );
    }
  });

  it('warns of a metric that the platform does not have, and holds the others', async () => {
    const products = { edge_applications: { metrics: ['cdn_requests', 'waf', 'no_such_metric'] } };
    const bed = await historyBed({ account: { collectors: { metrics: { products } } } });
    await bed.run({ from: NOW - 3 * HOUR });
    const gone = 'the platform does not have this metric';
    const metric = `${gone}: account test, edge_applications, configuration shop, no_such_metric`;
    expect(bed.events.filter((event) => event.startsWith(gone))).toEqual([metric, metric]);
    compare(bed, await textOf(bed), Date.UTC(2026, 0, 5, 7, 21), Date.UTC(2026, 0, 5, 10, 10));
  });
});

it('leaves out what the platform lacks and says of which metric, and counts the rest once', async () => {
  const bed = await historyBed();
  bed.sandbox.faults.set({ missing_rows: { every: 20, share: 0, paths: ['*/metrics/waf'] } });
  const [from, to] = [Date.UTC(2026, 0, 5, 8), Date.UTC(2026, 0, 5, 10)];
  await bed.run({ from, to });
  const gaps = 'buckets missing in these windows: account test, edge_applications, configuration shop, waf';
  expect(bed.events.filter((event) => event.startsWith('buckets missing'))).toEqual([gaps, gaps]);
  const series = seriesOf(await textOf(bed));
  for (const { id } of bed.sandbox.account.domains) {
    const product = EDGE_APPLICATIONS.id;
    const query = { api: 'metrics', product, configuration: id, metric: 'waf', from, to } as const;
    const there = (bed.sandbox.truth(query)['requests'] ?? []).filter(
      ([start]) => (start / MINUTE) % 20 !== 19,
    );
    const [, total] =
      [...series].find(([text]) => text.startsWith('edge_waf_requests_total') && text.includes(`"${id}"`)) ??
      [];
    expect(there).toHaveLength(114);
    expect(total?.at(-1)?.value).toBe(there.reduce((sum, [, value]) => sum + value, 0));
  }
});

describe('a history of several kinds', () => {
  it('holds whole products and configurations, of every account', async () => {
    const settings = { by: ['product', 'configuration'], metrics: ['requests'], dimensions: ['total'] };
    const account = { collectors: { analytics: { products: { content_delivery: settings } } } };
    const [bed, other] = [await historyBed({ account }), await historyBed({ account, sandbox: { seed: 2 } })];
    const accounts = [...bed.accounts, ...other.accounts.map((one) => ({ ...one, name: 'other' }))];
    await bed.run({ from: NOW - 2 * HOUR, accounts });
    const series = seriesOf(await textOf(bed));
    const names = [...series.keys()].map((text) => /^(\w+)\{account="(\w+)"/.exec(text)?.slice(1).join(' '));
    const families = ['edge_product_requests', 'edge_requests'];
    const expected = families.flatMap((family) =>
      ['other', 'test'].flatMap((name) => [`${family}_per_minute ${name}`, `${family}_total ${name}`]),
    );
    expect([...new Set(names)].sort()).toEqual(expected.sort());
    const total = [...series].find(([text]) => text.startsWith('edge_product_requests_total{account="test"'));
    const [product, from, to] = [1441740010, Date.UTC(2026, 0, 5, 8, 21), Date.UTC(2026, 0, 5, 10, 10)];
    const query = {
      api: 'analytics',
      product,
      configuration: 'product',
      metric: 'requests',
      from,
      to,
    } as const;
    const truth = bed.sandbox.truth(query)['total'] ?? [];
    expect(total?.[1].at(-1)?.value).toBe(truth.reduce((sum, [, value]) => sum + value, 0));
  });

  it('asks the platform for the time where no list of configurations has told it', async () => {
    const settings = { by: ['product'], metrics: ['requests'], dimensions: ['total'] };
    const bed = await historyBed({
      account: { collectors: { analytics: { products: { content_delivery: settings } } } },
    });
    await bed.run({ from: NOW - 2 * HOUR });
    const [samples] = seriesOf(await textOf(bed)).values();
    expect(samples?.at(-1)?.at).toBe(Date.UTC(2026, 0, 5, 10, 10));
  });
});

describe('at a wrong address', () => {
  const answering = (status: number, type: string, body: string): RequestListener => {
    const headers = { 'content-type': type, date: new Date(NOW).toUTCString() };
    return (_request, response) => response.writeHead(status, headers).end(body);
  };

  /** Returns a clock whose sleeps end immediately, and the sum (ms) of these sleeps. */
  function skipping() {
    const skipped = { ms: 0 };
    const now = () => Date.now() + skipped.ms;
    const sleep = async (ms: number) => {
      skipped.ms += ms;
    };
    return { skipped, clock: { now, wall: now, sleep } };
  }

  async function serverAt(listener: RequestListener): Promise<string> {
    const server = createHttpServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    ['a page with 404', answering(404, 'text/html', '<h1>Not Found</h1>'), /HTTP 404/],
    ['the API below another path', answering(404, 'application/json', '{"detail":"Not found."}'), /HTTP 404/],
    ['a login page', answering(200, 'text/html', '<h1>Login</h1>'), /not JSON/],
    ['nobody', undefined, /ECONNREFUSED|refused/],
  ])('three tries show it, then the reason is told: %s', async (_, listener, reason) => {
    const bed = await historyBed();
    let asked = 0;
    const counting: RequestListener = (request, response) => {
      asked += 1;
      listener?.(request, response);
    };
    const url = listener === undefined ? 'http://127.0.0.1:1' : await serverAt(counting);
    const { skipped, clock } = skipping();
    const accounts = accountsAt(url, { ...TWO_METRICS, source: 'rest' });
    await expect(bed.run({ accounts, clock })).rejects.toThrow(reason);
    expect(bed.events).toEqual(Array(2).fill('the platform could not list what to read'));
    expect(asked).toBe(listener === undefined ? 0 : 3);
    expect(skipped.ms).toBeLessThan(10_000);
  });

  it.each([
    ['429', answering(429, 'application/json', '{"detail":"Request was throttled."}'), 5],
    ['a failure of the platform', answering(500, 'application/json', '{"detail":"Sorry."}'), 5],
  ])('%s shows no wrong address: it is waited for', async (_, listener, times) => {
    const bed = await historyBed();
    const app = bed.sandbox.app;
    let asked = 0;
    const url = await serverAt((request, response) => {
      asked += 1;
      if (asked > times) app(request, response);
      else listener(request, response);
    });
    const { clock } = skipping();
    await bed.run({ accounts: accountsAt(url, TWO_METRICS), from: NOW - HOUR, clock });
    expect(await textOf(bed)).toContain('edge_requests_total');
    expect(asked).toBeGreaterThan(times);
  });
});

describe('an interrupted history', () => {
  it('has the same bytes as one that was not, wherever it was interrupted and whatever went wrong meanwhile', async () => {
    const bed = await historyBed();
    await bed.run({ output: join(bed.folder, 'undisturbed.om') });
    const undisturbed = await textOf(bed, 'undisturbed.om');
    compare(bed, undisturbed, Date.UTC(2026, 0, 5, 0, 21), Date.UTC(2026, 0, 5, 10, 10));
    bed.sandbox.faults.set(FAULTS);
    for (const [index, moments] of fc
      .sample(fc.array(fc.nat(20), { maxLength: 5 }), { seed: 7, numRuns: 8 })
      .entries()) {
      const output = join(bed.folder, `${index}.om`);
      for (const moment of moments) {
        if ((await readdir(bed.folder)).includes(`${index}.om`)) break;
        const interruption = new AbortController();
        let exchanges = 0;
        const progress = noting(bed.events, {
          exchanged() {
            exchanges += 1;
            if (exchanges > moment) interruption.abort();
          },
        });
        await bed.run({ output, signal: interruption.signal, progress }).catch((error) => {
          if (!interruption.signal.aborted) throw error;
        });
      }
      if (!(await readdir(bed.folder)).includes(`${index}.om`)) await bed.run({ output });
      expect((await textOf(bed, `${index}.om`)) === undisturbed, `with ${moments}`).toBe(true);
    }
    expect(bed.events.filter((event) => event.startsWith('reading a window failed')).length).toBeGreaterThan(
      20,
    );
  });

  it('is not read again, and keeps its end when the platform has gone on', async () => {
    const bed = await historyBed();
    const interruption = new AbortController();
    const progress = noting(bed.events, { writing: () => interruption.abort() });
    await expect(bed.run({ signal: interruption.signal, progress })).rejects.toThrow();
    const before = bed.sandbox.requests.total;
    await bed.run();
    expect(bed.sandbox.requests.total).toBe(before);
    expect(bed.events).toEqual(['planned 0/44', 'writing', 'planned 44/44', 'writing']);
  });

  it('is refused when something else is asked for, in words that say what, unless it is begun anew', async () => {
    const bed = await historyBed();
    await interrupted(bed);
    await expect(bed.run({ from: NOW - 5 * HOUR, to: NOW - HOUR })).rejects.toThrow(
      /with other settings \(--from was 2026-01-05T00:20:30Z and is 2026-01-05T05:20:30Z; --to was not given and is 2026-01-05T09:20:30Z\): .* --restart/,
    );
    await bed.run({ from: NOW - 5 * HOUR, mode: 'restart' });
    compare(bed, await textOf(bed), Date.UTC(2026, 0, 5, 5, 21), Date.UTC(2026, 0, 5, 10, 10));
  });

  it('is held by one process at a time', async () => {
    const bed = await historyBed();
    await interrupted(bed);
    const log = { info: () => undefined, warn: () => undefined };
    const holder = await HistoryState.open(join(bed.folder, 'history.om'), log);
    await expect(bed.run()).rejects.toThrow(/^another backfill is running in .*history\.om\.partial$/);
    await holder.close();
    await bed.run();
  });
});

describe('a history is refused', () => {
  it.each([
    [{ from: NOW - 31 * 24 * HOUR }, /too early: the platform keeps 30 days/],
    [{ to: NOW - 9 * MINUTE }, /too late: only settled buckets are final.*2026-01-05T10:10:00Z/],
    [{ from: NOW - 2 * HOUR, to: NOW - 2 * HOUR }, /must be at least a minute before/],
  ])('with a range that the platform does not have: %o', async (options, sentence) => {
    const bed = await historyBed();
    await expect(bed.run(options)).rejects.toThrow(sentence);
    expect(await readdir(bed.folder)).toEqual([]);
  });

  it('when its file already exists, or something else has the name of its folder', async () => {
    const bed = await historyBed();
    const output = join(bed.folder, 'history.om');
    await writeFile(output, 'of value');
    await expect(bed.run()).rejects.toThrow(/history\.om already exists.*--restart/);
    await mkdir(`${output}.partial`);
    await writeFile(join(`${output}.partial`, 'diary.txt'), 'of value');
    await expect(bed.run({ mode: 'restart' })).rejects.toThrow(
      /exists and was not created by this version of backfill/,
    );
    expect(await readFile(output, 'utf8')).toBe('of value');
  });

  it('that is no file, such as a device, which would be replaced for all programs', async () => {
    const bed = await historyBed();
    const output = join(bed.folder, 'socket');
    const server = createServer().listen(output);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    await expect(bed.run({ output, mode: 'restart' })).rejects.toThrow(
      /socket is no file: choose another --output$/,
    );
    expect((await stat(output)).isSocket()).toBe(true);
  });

  it('when it cannot be written there', async () => {
    const bed = await historyBed();
    await expect(bed.run({ output: bed.folder })).rejects.toThrow(/is no file: choose another --output$/);
    await expect(bed.run({ output: join(bed.folder, 'missing', 'history.om') })).rejects.toThrow(
      /the folder of --output: .*missing cannot be used: it does not exist/,
    );
    expect(await readdir(bed.folder)).toEqual([]);
  });

  it('when nothing is selected', async () => {
    const products = { edge_applications: { configurations: { include: ['nobody'] } } };
    const bed = await historyBed({ account: { collectors: { metrics: { products } } } });
    await expect(bed.run()).rejects.toThrow(/nothing to read/);
  });
});

async function interrupted(bed: HistoryBed): Promise<void> {
  const interruption = new AbortController();
  const progress = noting(bed.events, { advanced: () => interruption.abort() });
  await expect(bed.run({ signal: interruption.signal, progress })).rejects.toThrow();
}
