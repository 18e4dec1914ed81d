import { eventually } from '../eventually.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Prometheus, type PrometheusOptions, startPrometheus } from './prometheus.ts';
import { startVictoriaMetrics } from './victoria-metrics.ts';

/** Samples by series (`seriesKey`), as `[ms since the epoch, value]` in ascending order. */
export type StoredSamples = ReadonlyMap<string, readonly (readonly [number, number])[]>;

/** Real receiver of pushed samples. */
export interface PushReceiver {
  readonly kind: 'remote_write' | 'otlp';
  readonly url: string;
  readonly stored: () => Promise<StoredSamples>;
  /** Returns the values of an expression at a time (ms since the epoch), by series. */
  readonly query: (expression: string, at: number) => Promise<ReadonlyMap<string, number>>;
  readonly stop: () => Promise<void>;
}

type Labels = Record<string, string>;

export const PUSH_RECEIVERS = {
  'Prometheus 2': () => prometheusReceiver('prometheus'),
  'Prometheus 3': () => prometheusReceiver('prometheus3'),
  VictoriaMetrics: () => victoriaMetricsReceiver(),
  'VictoriaMetrics by OTLP': () => victoriaMetricsReceiver('otlp'),
} as const;

const RESOURCE_LABELS = ['service.name'];

/** Starts a Prometheus that receives samples. */
export async function prometheusReceiver(
  tool: NonNullable<PrometheusOptions['tool']>,
  options: Pick<PrometheusOptions, 'storage' | 'outOfOrderWindow'> = {},
): Promise<PushReceiver & Pick<Prometheus, 'kill'>> {
  const flags = ['--web.enable-remote-write-receiver'];
  const { url, stop, kill } = await startPrometheus({ tool, flags, ...options });
  return {
    kind: 'remote_write',
    url: `${url}/api/v1/write`,
    stop,
    kill,
    async stored() {
      const query = new URLSearchParams({ query: '{__name__=~"edge_.+"}[1d]' });
      const response = await fetch(`${url}/api/v1/query?${query}`);
      const { data } = (await response.json()) as {
        data: { result: { metric: Labels; values: [number, string][] }[] };
      };
      return new Map(
        data.result.map(({ metric, values }) => [
          keyOf(metric),
          values.map(([seconds, text]) => [Math.round(seconds * 1_000), Number(text)] as const),
        ]),
      );
    },
    query: (expression, at) => queryAt(url, expression, at),
  };
}

async function victoriaMetricsReceiver(kind: PushReceiver['kind'] = 'remote_write'): Promise<PushReceiver> {
  const { url, stop } = await startVictoriaMetrics();
  let shown = 0;
  /**
   * VictoriaMetrics writes samples in the background, in one shard for each core. A flush omits samples that
   * a shard is still writing.
   */
  const flush = async () => {
    await fetch(`${url}/internal/force_flush`);
    let looks = 0;
    const isAllShown = async () => {
      const rows = rowsIn(await (await fetch(`${url}/metrics`)).text());
      // The metrics of VictoriaMetrics may be a second old.
      const isTrue = looks++ > 0 || rows.taken === shown;
      if (!isTrue || rows.taken !== rows.shown) return false;
      shown = rows.shown;
      return true;
    };
    await eventually('all that it has taken is shown', isAllShown, { every: 1_100 });
  };
  return {
    kind,
    url: kind === 'otlp' ? `${url}/opentelemetry/v1/metrics` : `${url}/api/v1/write`,
    stop,
    async stored() {
      await flush();
      const query = new URLSearchParams({ 'match[]': '{__name__=~"edge_.+"}' });
      const response = await fetch(`${url}/api/v1/export?${query}`);
      const stored = new Map<string, (readonly [number, number])[]>();
      for (const line of (await response.text()).trim().split('\n')) {
        if (line === '') continue;
        const block = JSON.parse(line) as { metric: Labels; values: number[]; timestamps: number[] };
        const key = keyOf(block.metric);
        const points = block.timestamps.map((at, index) => [at, block.values[index] ?? Number.NaN] as const);
        stored.set(
          key,
          [...(stored.get(key) ?? []), ...points].sort(([a], [b]) => a - b),
        );
      }
      return stored;
    },
    async query(expression, at) {
      await flush();
      return await queryAt(url, expression, at);
    },
  };
}

function rowsIn(metrics: string): { readonly taken: number; readonly shown: number } {
  const sum = (name: RegExp) =>
    [...metrics.matchAll(/^(\S+) (\S+)$/gm)].reduce(
      (all, [, series = '', value]) => all + (name.test(series) ? Number(value) : 0),
      0,
    );
  return {
    taken: sum(/^vm_rows_added_to_storage_total$/),
    shown: sum(/^vm_rows\{type="storage\/|^vm_deduplicated_samples_total\{type="merge"\}$/),
  };
}

async function queryAt(url: string, expression: string, at: number): Promise<ReadonlyMap<string, number>> {
  const query = new URLSearchParams({ query: expression, time: String(at / 1_000) });
  const response = await fetch(`${url}/api/v1/query?${query}`);
  const { data } = (await response.json()) as {
    data: { result: { metric: Labels; value: [number, string] }[] };
  };
  return new Map(data.result.map(({ metric, value }) => [keyOf(metric), Number(value[1])]));
}

function keyOf({ __name__: name = '', ...labels }: Labels): string {
  const own = Object.entries(labels).filter(([label]) => !RESOURCE_LABELS.includes(label));
  return seriesKey(name, Object.fromEntries(own));
}
