/**
 * An exporter as one writes it in an afternoon, with the packages of ours that it would use: it reads a platform each minute, and
 * shows what it read by prom-client behind express.
 */

import { Cron } from 'croner';
import express from 'express';
import { pino } from 'pino';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';
import { request } from 'undici';
import { parse } from 'yaml';
import { z } from 'zod';

const [, , address = '', platform = ''] = process.argv;
const [host = '', port] = address.split(':');
const log = pino({ level: 'error' });
const settings = z.object({ configurations: z.number() }).parse(parse('configurations: 20'));
const answers = z.record(z.string(), z.array(z.tuple([z.number(), z.number()])));
collectDefaultMetrics();
const requests = new Gauge({ name: 'requests', help: 'Requests.', labelNames: ['configuration', 'code'] });
const counted = new Gauge({
  name: 'requests_counted',
  help: 'Requests.',
  labelNames: ['configuration', 'code'],
});

async function poll(): Promise<void> {
  const to = new Date().toISOString();
  const from = new Date(Date.now() - 600_000).toISOString();
  for (let configuration = 0; configuration < settings.configurations; configuration++) {
    const { body } = await request(`${platform}/read?date_from=${from}&date_to=${to}`);
    for (const [code, points] of Object.entries(answers.parse(await body.json()))) {
      const labels = { configuration, code };
      requests.set(labels, points.at(-1)?.[1] ?? 0);
      counted.inc(labels, points.at(-1)?.[1] ?? 0);
    }
  }
}

new Cron('* * * * *', () => poll().catch((error: unknown) => log.error(error)));
const app = express();
app.get('/metrics', async (_, response) => {
  response.set('content-type', register.contentType).end(await register.metrics());
});
await poll();
app.listen(Number(port), host);
