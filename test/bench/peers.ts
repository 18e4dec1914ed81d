/** Programs for comparison, each in its own process, with the same series as the exporter. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Gauge, Registry } from 'prom-client';

/** Serves a prepared body with node:http, as the lower limit of a scrape's cost. */
export function serveFile(path: string): void {
  const body = readFileSync(path);
  const server = createServer((_, response) => {
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': body.length,
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

/** Serves a page with prom-client behind express, compressed as its users do. */
export async function servePromClient(path: string): Promise<void> {
  const { gzipSync } = await import('node:zlib');
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === '') continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
      key,
      text,
    ]);
    const known = gauges.get(name);
    const gauge =
      known ??
      new Gauge({ name, help: name, labelNames: pairs.map(([key = '']) => key), registers: [registry] });
    gauges.set(name, gauge);
    // prom-client does not accept a family whose series differ in their label names.
    try {
      gauge.set(Object.fromEntries(pairs), Number(value));
    } catch {}
  }
  const app = express();
  app.get('/metrics', async (_, response) => {
    response.set('content-type', registry.contentType).set('content-encoding', 'gzip');
    response.end(gzipSync(await registry.metrics()));
  });
  const server = app.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  );
}
