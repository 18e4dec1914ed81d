import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Makes metrics of one registry, all named `edge_exporter_…`. */
export type MetricMaker = ReturnType<typeof metricMaker>;

/** The maker of a registry's metrics. */
export function metricMaker(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Name extends string>(name: string, help: string, labelNames: readonly Name[]) =>
      new Counter({ name: `edge_exporter_${name}`, help, labelNames, registers }),
    gauge: <Name extends string>(name: string, help: string, labelNames: readonly Name[]) =>
      new Gauge({ name: `edge_exporter_${name}`, help, labelNames, registers }),
    histogram: <Name extends string>(
      name: string,
      help: string,
      labelNames: readonly Name[],
      buckets: number[],
    ) => new Histogram({ name: `edge_exporter_${name}`, help, labelNames, buckets, registers }),
  };
}
