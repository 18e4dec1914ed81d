import type { Counter, Gauge } from 'prom-client';

/** Returns the value of a metric of the exporter for these labels; undefined if there is none. */
export async function ownValue(
  metric: Pick<Counter | Gauge, 'get'>,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const { values } = await metric.get();
  const wanted = Object.entries(labels);
  return values.find((one) => wanted.every(([label, value]) => Reflect.get(one.labels, label) === value))
    ?.value;
}
