import { PbfWriter } from 'pbf';
import snappy from 'snappyjs';
import {
  helpOf,
  onceFor,
  type PushedFamily,
  type PushedSample,
  type PushedSeries,
  type ReceiverAnswer,
  refusalOrFailure,
  unlikeReceiver,
  writeFixed64,
} from './protocol.ts';
import type { ReceiverConnection, Reply } from './receiver-connection.ts';

type Version = '2.0' | '1.0';

const HEADERS: Readonly<Record<Version, Readonly<Record<string, string>>>> = {
  '2.0': {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '2.0.0',
  },
  '1.0': {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
  },
};

const MESSAGES = { '2.0': writeRequest2, '1.0': writeRequest1 } as const;

/** Returns the number of written samples in a response to version 2.0; undefined if there is none. */
function writtenOf({ headers }: Reply): number | undefined {
  const written = headers['x-prometheus-remote-write-samples-written'];
  return typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : undefined;
}

/** Sends remote write to one receiver: version 2.0 while its responses show support for it, else 1.0. */
export class RemoteWrite {
  readonly #connection: Pick<ReceiverConnection, 'post'>;
  #version: Version = '2.0';

  constructor(connection: Pick<ReceiverConnection, 'post'>) {
    this.#connection = connection;
  }

  /** Name of the protocol with the version in use. */
  get name(): string {
    return `remote_write ${this.#version}`;
  }

  async send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer> {
    let reply = await this.#post(samples, signal);
    // Most old receivers respond with 204 to version 2.0 and store nothing.
    if (this.#version === '2.0' && !knows2(reply) && unlikeReceiver(reply) === undefined) {
      this.#version = '1.0';
      reply = await this.#post(samples, signal);
    }
    return unlikeReceiver(reply) ?? answerOf(reply, samples.length);
  }

  #post(samples: readonly PushedSample[], signal: AbortSignal): Promise<Reply> {
    const message = MESSAGES[this.#version](samples);
    return this.#connection.post(snappy.compress(message), HEADERS[this.#version], signal);
  }
}

/** Returns true if the receiver may support version 2.0. A response without a number of samples does not rule it out. */
function knows2(reply: Reply): boolean {
  const { status } = reply;
  if (writtenOf(reply) !== undefined) return true;
  return !(status < 300 || status === 400 || status === 415 || status === 422);
}

function answerOf(reply: Reply, sent: number): ReceiverAnswer {
  const { status, words, retryAfterMs } = reply;
  if (status >= 300) return refusalOrFailure(status, words, retryAfterMs);
  const written = writtenOf(reply) ?? sent;
  if (written >= sent) return { kind: 'accepted' };
  return { kind: 'refused', reason: 'invalid', words: `it wrote ${written} of ${sent} samples` };
}

/** Values of the enums of both versions: MetricMetadata.MetricType and Metadata.MetricType. */
const TYPES = { counter: 1, gauge: 2, histogram: 3, summary: 5 } as const;

/** Label with a family's name. Receivers expect labels sorted by name. */
const NAME = '__name__';

/** Returns the labels of a series sorted by name, including the label with the family's name. */
function labelsOf({ family, labels }: PushedSeries): [name: string, value: string][] {
  return Object.entries({ ...labels, [NAME]: family.name }).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Encodes labels as in a `TimeSeries`. */
const writtenLabels = onceFor((series: PushedSeries) => {
  const written = new PbfWriter();
  for (const label of labelsOf(series)) written.writeMessage(1, writeLabel, label);
  return written.finish();
});

/** Encodes a `prometheus.WriteRequest` (remote write 1.0), with the metadata of its families. */
export function writeRequest1(samples: readonly PushedSample[]): Uint8Array {
  const request = new PbfWriter();
  for (const sample of samples) request.writeMessage(1, writeSeries1, sample);
  const families = new Set(samples.map(({ series }) => series.family));
  const whole = new Map([...families].map((family) => [wholeName(family), family]));
  for (const family of whole.values()) request.writeMessage(3, writeFamily, family);
  return request.finish();
}

/** Writes a `TimeSeries` of version 1.0. */
function writeSeries1(sample: PushedSample, series: PbfWriter): void {
  const labels = writtenLabels(sample.series);
  series.realloc(labels.length);
  series.buf.set(labels, series.pos);
  series.pos += labels.length;
  series.writeMessage(2, writeSample, sample);
}

const textsOf = onceFor((series: PushedSeries) => ({
  labels: labelsOf(series).flat(),
  type: TYPES[series.family.type],
  help: helpOf(series.family),
}));

/** Encodes an `io.prometheus.write.v2.Request` (remote write 2.0), with metadata and start timestamps. */
export function writeRequest2(samples: readonly PushedSample[]): Uint8Array {
  const request = new PbfWriter();
  // The protocol requires an empty first symbol.
  const symbols = new Map([['', 0]]);
  const reference = (text: string): number => {
    const known = symbols.get(text);
    if (known !== undefined) return known;
    symbols.set(text, symbols.size);
    return symbols.size - 1;
  };
  const writeMetadata = ({ type, help }: ReturnType<typeof textsOf>, metadata: PbfWriter) => {
    metadata.writeVarintField(1, type);
    metadata.writeVarintField(3, reference(help));
  };
  const writeReferences = (labels: readonly string[], references: PbfWriter) => {
    for (const text of labels) references.writeVarint(reference(text));
  };
  const writeSeries = (sample: PushedSample, series: PbfWriter) => {
    const texts = textsOf(sample.series);
    series.writeMessage(1, writeReferences, texts.labels);
    series.writeMessage(2, writeSample2, sample);
    series.writeMessage(5, writeMetadata, texts);
    // Field of versions before 2.0-rc.4, which Prometheus before 3.8 reads.
    if (sample.since !== undefined) series.writeVarintField(6, sample.since);
  };
  for (const sample of samples) request.writeMessage(5, writeSeries, sample);
  for (const text of symbols.keys()) request.writeStringField(4, text);
  return request.finish();
}

/** Writes a `Label` of a `TimeSeries`. */
function writeLabel([name = '', value = '']: readonly string[], label: PbfWriter): void {
  label.writeStringField(1, name);
  label.writeStringField(2, value);
}

/** Writes a `MetricMetadata`. */
function writeFamily(family: PushedFamily, metadata: PbfWriter): void {
  metadata.writeVarintField(1, TYPES[family.type]);
  metadata.writeStringField(2, wholeName(family));
  metadata.writeStringField(4, helpOf(family));
}

/** Bits of Prometheus' `value.StaleNaN`, which JavaScript numbers do not preserve. */
const STALE_NAN = 0x7ff0000000000002n;

/** Writes a `Sample`, the same in both versions. */
function writeSample({ value, at, ended }: PushedSample, sample: PbfWriter): void {
  if (ended) writeFixed64(sample, 1, STALE_NAN);
  else sample.writeDoubleField(1, value);
  sample.writeVarintField(2, at);
}

/** Writes a `Sample` of version 2.0. */
function writeSample2(pushed: PushedSample, sample: PbfWriter): void {
  writeSample(pushed, sample);
  if (pushed.since !== undefined) sample.writeVarintField(3, pushed.since);
}

/** Returns a family's name without the suffixes of histograms and summaries. */
function wholeName({ name, type }: PushedFamily): string {
  return type === 'histogram' || type === 'summary' ? name.replace(/_(bucket|sum|count)$/, '') : name;
}
