import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PbfReader, PbfWriter } from 'pbf';
import { groupedBy } from '../grouped-by.ts';
import {
  helpOf,
  type Protocol,
  type PushedSample,
  type ReceiverAnswer,
  reasonIn,
  refusalOrFailure,
  unlikeReceiver,
  writeFixed64,
} from './protocol.ts';
import type { ReceiverConnection, Reply } from './receiver-connection.ts';

const HEADERS = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };

const compress = promisify(gzip);

/** Returns the protocol OTLP/HTTP with protobuf for one receiver. */
export function otlpTo(connection: Pick<ReceiverConnection, 'post'>): Protocol {
  return {
    name: 'otlp',
    async send(samples, signal) {
      const message = await compress(otlpRequest(samples));
      const reply = await connection.post(message, HEADERS, signal);
      return unlikeReceiver(reply) ?? answerOf(reply);
    },
  };
}

function answerOf({ status, body, words, retryAfterMs }: Reply): ReceiverAnswer {
  if (status >= 300) return refusalOrFailure(status, words, retryAfterMs);
  const rejected = partialSuccess(body);
  if (rejected === 0) return { kind: 'accepted' };
  return { kind: 'partly accepted', rejected, reason: reasonIn(words) ?? 'invalid', words };
}

/** AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE */
const CUMULATIVE = 2;

/** DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK */
const NO_RECORDED_VALUE = 1;

const NANOSECONDS_PER_MS = 1_000_000n;

/**
 * Attributes of the resource. The exporter's version is omitted, because receivers turn attributes into labels, and series would
 * end with each upgrade.
 */
const RESOURCE = { 'service.name': 'edge-exporter' };

/**
 * Encodes `opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest`, with counters as cumulative monotonic sums, and
 * gauges. Units are omitted, because receivers turn them into suffixes, which the names already have.
 */
function otlpRequest(samples: readonly PushedSample[]): Uint8Array {
  const request = new PbfWriter();
  request.writeMessage(1, writeResourceMetrics, samples);
  return request.finish();
}

function writeResourceMetrics(samples: readonly PushedSample[], resourceMetrics: PbfWriter): void {
  resourceMetrics.writeMessage(1, (labels, resource) => writeAttributes(resource, 1, labels), RESOURCE);
  const families = groupedBy(samples, ({ series }) => series.family.name);
  resourceMetrics.writeMessage(2, writeScopeMetrics, families);
}

function writeScopeMetrics(families: ReadonlyMap<string, readonly PushedSample[]>, metrics: PbfWriter): void {
  metrics.writeMessage(1, (name, scope) => scope.writeStringField(1, name), RESOURCE['service.name']);
  for (const samples of families.values()) metrics.writeMessage(2, writeMetric, samples);
}

/** Writes the series of histograms and summaries as gauges with their own names, because some receivers add a suffix to sums. */
function writeMetric(samples: readonly PushedSample[], metric: PbfWriter): void {
  const family = samples[0]?.series.family ?? { name: '', type: 'gauge' };
  const isCounter = family.type === 'counter';
  metric.writeStringField(1, family.name);
  metric.writeStringField(2, helpOf(family));
  metric.writeMessage(isCounter ? 7 : 5, isCounter ? writeSum : writePoints, samples);
}

function writePoints(samples: readonly PushedSample[], data: PbfWriter): void {
  for (const sample of samples) data.writeMessage(1, writePoint, sample);
}

function writeSum(samples: readonly PushedSample[], sum: PbfWriter): void {
  writePoints(samples, sum);
  sum.writeVarintField(2, CUMULATIVE);
  sum.writeBooleanField(3, true);
}

/** Writes a `NumberDataPoint`. */
function writePoint({ series, value, at, since, ended }: PushedSample, point: PbfWriter): void {
  const { family, labels } = series;
  if (family.type === 'counter' && since !== undefined)
    writeFixed64(point, 2, BigInt(since) * NANOSECONDS_PER_MS);
  writeFixed64(point, 3, BigInt(at) * NANOSECONDS_PER_MS);
  if (ended) point.writeVarintField(8, NO_RECORDED_VALUE);
  else point.writeDoubleField(4, value);
  writeAttributes(point, 7, labels);
}

function writeAttributes(writer: PbfWriter, field: number, texts: Readonly<Record<string, string>>): void {
  for (const pair of Object.entries(texts)) writer.writeMessage(field, writeAttribute, pair);
}

function writeAttribute([key, text]: readonly [string, string], attribute: PbfWriter): void {
  attribute.writeStringField(1, key);
  attribute.writeMessage(2, (string, value) => value.writeStringField(1, string), text);
}

/** Returns the number of data points that an `ExportMetricsServiceResponse` rejects; 0 for any other response. */
export function partialSuccess(body: Uint8Array): number {
  const readRejected = (field: number, _: unknown, reader: PbfReader) => {
    if (field === 1 && reader.type === 0) rejected = reader.readVarint();
  };
  let rejected = 0;
  try {
    new PbfReader(body).readFields((field, _, reader) => {
      if (field === 1 && reader.type === 2) reader.readMessage(readRejected, undefined);
    }, undefined);
  } catch {
    // The decoder throws for bytes that are not such a message.
  }
  return rejected;
}
