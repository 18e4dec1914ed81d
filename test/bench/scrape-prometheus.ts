/** How long a real Prometheus takes for its scrapes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startProgram, stop } from './scrape-process.ts';
import { pause } from './statistics.ts';

/** How long it scrapes (s): every 5 s, which also 500,000 series leave time for. */
const SCRAPING_S = 22;
/** Longer than it has run (s). */
const RANGE_S = 60;

/** The median `scrape_duration_seconds` of each server, in ms; nothing where that Prometheus is not there. */
export async function scrapeDurations(
  prometheus: string | undefined,
  servers: readonly Server[],
): Promise<ReadonlyMap<string, number>> {
  if (prometheus === undefined) return new Map();
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-bench-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  const jobs = servers.map(({ name, url }) => ({
    job_name: name,
    static_configs: [{ targets: [new URL(url).host] }],
  }));
  writeFileSync(
    config,
    JSON.stringify({ global: { scrape_interval: '5s', scrape_timeout: '5s' }, scrape_configs: jobs }),
  );
  const running = await startProgram('prometheus', prometheus, (address) => [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
    '--log.level=error',
  ]);
  try {
    await pause(SCRAPING_S * 1_000);
    const query = `quantile_over_time(0.5, scrape_duration_seconds[${RANGE_S}s])`;
    const { body } = await running.client.request({
      method: 'GET',
      path: `/api/v1/query?query=${encodeURIComponent(query)}`,
    });
    const { data } = (await body.json()) as {
      data: { result: readonly { metric: { job: string }; value: readonly [number, string] }[] };
    };
    return new Map(data.result.map(({ metric, value }) => [metric.job, Number(value[1]) * 1_000]));
  } finally {
    await stop(running);
    rmSync(folder, { recursive: true, force: true });
  }
}
