import { helpOf } from './family-help.ts';
import { ProtobufWriter } from './protobuf.ts';
import type { PushedSample } from './pushed-sample.ts';

/** AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE */
const CUMULATIVE = 2;

/** DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK */
const NO_RECORDED_VALUE = 1;

const NANOSECONDS_PER_MS = 1_000_000n;

/**
 * Of the resource, not of the version that runs: receivers make labels of these, and series would end with each upgrade.
 */
const RESOURCE = { 'service.name': 'edge-exporter' };

/**
 * `opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest`: counters as cumulative monotonic sums, gauges.
 * Without units: receivers make suffixes of these, and the names have theirs.
 */
export function otlpRequest(samples: readonly PushedSample[]): Uint8Array {
  const request = new ProtobufWriter();
  request.message(1, (resourceMetrics) => {
    resourceMetrics.message(1, (resource) => attributes(resource, 1, RESOURCE));
    resourceMetrics.message(2, (scopeMetrics) => {
      scopeMetrics.message(1, (scope) => scope.text(1, 'edge-exporter'));
      for (const [name, own] of byFamily(samples)) {
        scopeMetrics.message(2, (metric) => writeMetric(metric, name, own));
      }
    });
  });
  return request.finish();
}

function byFamily(samples: readonly PushedSample[]): ReadonlyMap<string, readonly PushedSample[]> {
  const families = new Map<string, PushedSample[]>();
  for (const sample of samples) {
    const family = families.get(sample.family.name);
    if (family === undefined) families.set(sample.family.name, [sample]);
    else family.push(sample);
  }
  return families;
}

/** The lines of histograms and summaries are gauges of their names: sums would get a suffix by some receivers. */
function writeMetric(metric: ProtobufWriter, name: string, samples: readonly PushedSample[]): void {
  const [first] = samples;
  metric.text(1, name);
  metric.text(2, first === undefined ? '' : helpOf(first.family));
  const isCounter = first?.family.type === 'counter';
  metric.message(isCounter ? 7 : 5, (data) => {
    for (const sample of samples) data.message(1, (point) => writePoint(point, sample, isCounter));
    if (!isCounter) return;
    data.integer(2, CUMULATIVE);
    data.integer(3, 1);
  });
}

/** `NumberDataPoint` */
function writePoint(
  point: ProtobufWriter,
  { labels, value, at, since, ended }: PushedSample,
  isCounter: boolean,
): void {
  if (isCounter && since !== undefined) point.fixed64(2, BigInt(since) * NANOSECONDS_PER_MS);
  point.fixed64(3, BigInt(at) * NANOSECONDS_PER_MS);
  if (ended) point.integer(8, NO_RECORDED_VALUE);
  else point.double(4, value);
  attributes(point, 7, labels);
}

function attributes(writer: ProtobufWriter, field: number, texts: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(texts)) {
    writer.message(field, (attribute) => {
      attribute.text(1, key);
      attribute.message(2, (value) => value.text(1, text));
    });
  }
}
