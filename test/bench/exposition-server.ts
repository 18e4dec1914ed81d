import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import express from 'express';
import { Counter, Gauge, Registry } from 'prom-client';
import { Exposition, type ExpositionEncoding } from '../../src/exposition/exposition.ts';
import { Store } from '../../src/exposition/store.ts';
import { makeOutcomes, type Outcome, SERIES_PER_OUTCOME, samplesOf } from './population.ts';

/** What the process of the servers tells the one that measures. */
export interface Served {
  readonly ports: Readonly<Record<string, number>>;
  readonly identityBytes: number;
  readonly gzipBytes: number;
  readonly pieces: number;
  /** Bytes of memory a series takes, the caller's labels not counted, all bodies counted. */
  readonly bytesPerSeries: number;
  /** From the publication of everything to its being visible, and the longest the event loop was held up meanwhile. */
  readonly start: { readonly ms: number; readonly delayMs: number };
  /** The same for single poll outcomes, each after the other. */
  readonly outcomes: { readonly ms: readonly number[]; readonly delayMs: number };
}

const FOR_EVER = Number.POSITIVE_INFINITY;
const SINGLE_OUTCOMES = 100;

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function withDelay<Value>(work: () => Promise<Value>): Promise<[Value, number]> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const value = await work();
  delay.disable();
  return [value, delay.max / 1e6];
}

async function visible(exposition: Exposition, publish: () => void): Promise<number> {
  const from = performance.now();
  publish();
  await exposition.settled();
  return performance.now() - from;
}

async function singleOutcomes(
  store: Store,
  exposition: Exposition,
  outcomes: readonly Outcome[],
): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 1; turn <= SINGLE_OUTCOMES; turn++) {
    const outcome = outcomes[(turn * 31) % outcomes.length];
    if (outcome === undefined) continue;
    const samples = samplesOf(outcome, turn);
    times.push(await visible(exposition, () => store.publish(outcome.owner, samples, FOR_EVER)));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return times;
}

function send(response: ServerResponse, pieces: readonly Buffer[], encoding: ExpositionEncoding): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(200, {
    'content-type': 'text/plain',
    'content-encoding': encoding,
    'content-length': length,
  });
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}

function filledRegistry(outcomes: readonly Outcome[]): Registry {
  const registry = new Registry();
  const metrics = new Map<string, Gauge | Counter>();
  for (const outcome of outcomes) {
    for (const { family, labels, value } of samplesOf(outcome, 0)) {
      const Metric = family.type === 'gauge' ? Gauge : Counter;
      const options = { ...family, labelNames: Object.keys(labels), registers: [registry] };
      const metric = metrics.get(family.name) ?? new Metric(options);
      metrics.set(family.name, metric);
      metric.inc(labels, value);
    }
  }
  return registry;
}

async function listen(handler: RequestListener): Promise<number> {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function serveAll(
  exposition: Exposition,
  outcomes: readonly Outcome[],
): Promise<Record<string, number>> {
  const registry = filledRegistry(outcomes);
  const app = express();
  app.get('/', async (_, response) => {
    response.set('content-type', registry.contentType).end(await registry.metrics());
  });
  const floor = (encoding: ExpositionEncoding) => {
    const body = Buffer.concat(exposition.snapshot('text', encoding));
    return listen((_, response) => send(response, [body], encoding));
  };
  const ready = (encoding: ExpositionEncoding) =>
    listen((_, response) => send(response, exposition.snapshot('text', encoding), encoding));
  return {
    'floor identity': await floor('identity'),
    'ready identity': await ready('identity'),
    'prom-client identity': await listen(app),
    'floor gzip': await floor('gzip'),
    'ready gzip': await ready('gzip'),
  };
}

/** Fills a store with `seriesCount` series, serves it beside its rivals, and tells the parent process. */
export async function serve(seriesCount: number): Promise<void> {
  const outcomes = makeOutcomes(seriesCount);
  const before = memory();
  const store = new Store({ seriesLimit: seriesCount + SERIES_PER_OUTCOME });
  const exposition = new Exposition(store);
  const publications = outcomes.map((outcome) => [outcome.owner, samplesOf(outcome, 0)] as const);
  const [startMs, startDelay] = await withDelay(() =>
    visible(exposition, () => {
      for (const [owner, samples] of publications) store.publish(owner, samples, FOR_EVER);
    }),
  );
  publications.length = 0;
  const bytesPerSeries = (memory() - before) / store.seriesCount;
  const [times, delayMs] = await withDelay(() => singleOutcomes(store, exposition, outcomes));
  const size = (encoding: ExpositionEncoding) => Buffer.concat(exposition.snapshot('text', encoding)).length;
  const served: Served = {
    ports: await serveAll(exposition, outcomes),
    identityBytes: size('identity'),
    gzipBytes: size('gzip'),
    pieces: exposition.snapshot('text', 'identity').length,
    bytesPerSeries,
    start: { ms: startMs, delayMs: startDelay },
    outcomes: { ms: times, delayMs },
  };
  process.send?.(served);
}
