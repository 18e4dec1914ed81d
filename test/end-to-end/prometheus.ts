import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { eventually } from '../eventually.ts';
import { type PrometheusApi, prometheusApi } from './prometheus-api.ts';
import { startServer } from './server-process.ts';

/** Options of a Prometheus server. */
export interface PrometheusOptions {
  /** Targets by job name: addresses (`host:port`), or URLs with the metrics path. */
  readonly jobs?: Readonly<Record<string, string | readonly string[]>>;
  /** Items of `scrape_configs`, for jobs that need more than an address. */
  readonly scrapeConfigs?: readonly object[];
  /** Paths of rule files (globs allowed), or the content of one file. */
  readonly rules?: readonly string[] | object;
  /** URLs of Alertmanagers. */
  readonly alertmanagers?: readonly string[];
  /** Scrape and evaluation interval; default: 1s. */
  readonly scrapeInterval?: string;
  /** Folder with existing blocks; default: a new folder. */
  readonly storage?: string;
  readonly flags?: readonly string[];
  readonly outOfOrderWindow?: string;
  readonly tool?: 'prometheus' | 'prometheus3';
}

/** Real Prometheus server. */
export interface Prometheus extends PrometheusApi {
  readonly url: string;
  readonly log: () => string;
  /** Replaces the options, and reloads the configuration. */
  readonly reconfigure: (options: PrometheusOptions) => Promise<void>;
  /**
   * Waits until every target of the job has been scraped successfully after the call, and queries return the
   * samples.
   */
  readonly scraped: (job: string) => Promise<void>;
  /** Ends the server immediately (SIGKILL). Its storage remains. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a Prometheus on a free port, and waits until it is ready. */
export async function startPrometheus(options: PrometheusOptions = {}): Promise<Prometheus> {
  const server = await startServer({
    tool: options.tool ?? 'prometheus',
    ready: '/-/ready',
    async args(address, folder) {
      await writeConfig(folder, options);
      return [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${options.storage ?? join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--web.enable-lifecycle',
        '--web.enable-admin-api',
        ...(options.flags ?? []),
      ];
    },
  });
  const api = prometheusApi(server.url);
  const log = server.process.output;
  return {
    ...api,
    url: server.url,
    log,
    stop: server.stop,
    async kill() {
      server.process.kill('SIGKILL');
      await server.process.ended;
      await server.stop();
    },
    async reconfigure(changed) {
      await writeConfig(server.folder, changed);
      const response = await fetch(`${server.url}/-/reload`, { method: 'POST' });
      if (!response.ok) throw new Error(`reload: ${await response.text()}`);
    },
    async scraped(job) {
      const since = Date.now();
      await eventually(`a good scrape of every target of ${job}`, () => allScraped(api, job, since), {
        evidence: log,
      });
    },
  };
}

/** Largest shift (ms) of a scrape's timestamp, with a margin. Prometheus aligns the timestamps of scrapes. */
const ALIGNED_MS = 5;

async function allScraped(api: PrometheusApi, job: string, since: number): Promise<boolean> {
  const targets = (await api.targets()).filter((target) => target.labels['job'] === job);
  const bad = targets.find(({ lastError }) => lastError !== '');
  if (bad !== undefined) throw new Error(`${bad.scrapeUrl}: ${bad.lastError}`);
  // A target reports its scrape before the samples are stored. `up` is stored together with the samples.
  const up = `up{job="${job}"}`;
  const stored = await api.query(`timestamp(${up}) and ${up} == 1`);
  const seen = stored.filter(({ value }) => value * 1_000 > since + ALIGNED_MS);
  return targets.length > 0 && seen.length === targets.length;
}

async function writeConfig(folder: string, options: PrometheusOptions): Promise<void> {
  const { rules = [], alertmanagers = [], scrapeInterval = '1s', outOfOrderWindow } = options;
  if (!isList(rules)) await writeFile(join(folder, 'rules.yml'), stringify(rules));
  const config = {
    global: {
      scrape_interval: scrapeInterval,
      scrape_timeout: scrapeInterval,
      evaluation_interval: scrapeInterval,
    },
    rule_files: isList(rules) ? rules : ['rules.yml'],
    ...(outOfOrderWindow !== undefined && {
      storage: { tsdb: { out_of_order_time_window: outOfOrderWindow } },
    }),
    alerting: {
      alertmanagers: alertmanagers.map((url) => ({ static_configs: [{ targets: [new URL(url).host] }] })),
    },
    scrape_configs: [
      ...Object.entries(options.jobs ?? {}).map(scrapeConfig),
      ...(options.scrapeConfigs ?? []),
    ],
  };
  await writeFile(join(folder, 'prometheus.yml'), stringify(config));
}

function isList(rules: readonly string[] | object): rules is readonly string[] {
  return Array.isArray(rules);
}

function scrapeConfig([job, addresses]: [string, string | readonly string[]]): object {
  const urls = [addresses]
    .flat()
    .map((address) => new URL(address.includes('//') ? address : `http://${address}`));
  const path = urls[0]?.pathname;
  return {
    job_name: job,
    metrics_path: path === undefined || path === '/' ? '/metrics' : path,
    static_configs: [{ targets: urls.map(({ host }) => host) }],
  };
}
