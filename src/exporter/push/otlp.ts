import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ProtobufWriter } from './protobuf.ts';
import { type ReceiverAnswer, reasonIn, refusalOrFailure } from './protocol.ts';
import { helpOf, type PushedSample } from './pushed-sample.ts';
import type { ReceiverConnection, Reply } from './receiver-connection.ts';

const HEADERS = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };

const compress = promisify(gzip);

/** OTLP/HTTP with protobuf to one receiver. */
export class Otlp {
  readonly name = 'otlp';
  readonly #connection: Pick<ReceiverConnection, 'post'>;

  constructor(connection: Pick<ReceiverConnection, 'post'>) {
    this.#connection = connection;
  }

  async send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer> {
    const message = await compress(otlpRequest(samples));
    return answerOf(await this.#connection.post(message, HEADERS, signal));
  }
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
 * Of the resource, not of the version that runs: receivers make labels of these, and series would end with each upgrade.
 */
const RESOURCE = { 'service.name': 'edge-exporter' };

/**
 * `opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest`: counters as cumulative monotonic sums, gauges.
 * Without units: receivers make suffixes of these, and the names have theirs.
 */
function otlpRequest(samples: readonly PushedSample[]): Uint8Array {
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

/** A varint at a place: its value, and where the next byte is. Numbers beyond 2^53 lose precision. */
type Varint = readonly [value: number, next: number];

function varint(bytes: Uint8Array, from: number): Varint {
  let value = 0;
  let factor = 1;
  for (let at = from; ; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new RangeError('the message ends within a number');
    value += (byte & 0x7f) * factor;
    factor *= 0x80;
    if (byte < 0x80) return [value, at + 1];
  }
}

/** The bytes or the number of each field, as far as they are of the types that an answer has. */
function* fields(bytes: Uint8Array): Generator<readonly [field: number, content: Uint8Array | number]> {
  for (let at = 0; at < bytes.length; ) {
    const [tag, begin] = varint(bytes, at);
    const [number, next] = varint(bytes, begin);
    const isBytes = tag % 8 === 2;
    if (!isBytes && tag % 8 !== 0) return;
    at = isBytes ? next + number : next;
    yield [Math.floor(tag / 8), isBytes ? bytes.subarray(next, at) : number];
  }
}

/**
 * How many data points an `ExportMetricsServiceResponse` says were rejected: `partial_success.rejected_data_points`.
 * An answer that is something else, which some receivers give with success, rejects none.
 */
export function partialSuccess(body: Uint8Array): number {
  try {
    for (const [field, success] of fields(body)) {
      if (field !== 1 || typeof success === 'number') continue;
      for (const [inner, rejected] of fields(success)) {
        if (inner === 1 && typeof rejected === 'number') return rejected;
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return 0;
}
