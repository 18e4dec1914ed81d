import { PbfWriter } from 'pbf';
import snappy from 'snappyjs';
import type { Labels } from '../catalogue/family.ts';
import {
  helpOf,
  type PushedFamily,
  type PushedSample,
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

/** Which a receiver that knows 2.0 tells with every answer. */
const WRITTEN = 'x-prometheus-remote-write-samples-written';

/** Remote write to one receiver: in 2.0 for as long as what it answers shows that it knows that, else in 1.0. */
export class RemoteWrite {
  readonly #connection: Pick<ReceiverConnection, 'post'>;
  #version: Version = '2.0';

  constructor(connection: Pick<ReceiverConnection, 'post'>) {
    this.#connection = connection;
  }

  /** The protocol with the version in use. */
  get name(): string {
    return `remote_write ${this.#version}`;
  }

  async send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer> {
    let reply = await this.#post(samples, signal);
    // What an old receiver makes of 2.0 is up to it: most answer 204 and store nothing.
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

/** Whether an answer to 2.0 is from who knows it; one that says nothing of samples, such as a proxy's 503, may be. */
function knows2({ status, headers }: Reply): boolean {
  if (headers[WRITTEN] !== undefined) return true;
  return !(status < 300 || status === 400 || status === 415 || status === 422);
}

function answerOf({ status, headers, words, retryAfterMs }: Reply, sent: number): ReceiverAnswer {
  if (status >= 300) return refusalOrFailure(status, words, retryAfterMs);
  const written = headers[WRITTEN];
  if (written === undefined || Number(written) === sent) return { kind: 'accepted' };
  return { kind: 'refused', reason: 'invalid', words: `it wrote ${Number(written)} of ${sent} samples` };
}

/** The enums of both versions: MetricMetadata.MetricType and Metadata.MetricType. */
const TYPES = { counter: 1, gauge: 2, histogram: 3, summary: 5 } as const;

/** Where a family's name belongs among a series' labels, which receivers expect in the order of their names. */
const NAME = '__name__';

/** Makes something of each object once: samples of equal labels, or of one family, mostly share it, also from one request to the next. */
function once<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** Names and values in the order of the names: those before the family's name, and those after it. */
const ordered = once((labels: Labels) => {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const place = pairs.filter(([name]) => name < NAME).length;
  return { before: pairs.slice(0, place).flat(), after: pairs.slice(place).flat() };
});

/** The same as a `TimeSeries` has them. */
const written = once((labels: Labels) => {
  const { before, after } = ordered(labels);
  return { before: writtenLabels(before), after: writtenLabels(after) };
});

const writtenName = once(({ name }: PushedFamily) => writtenLabels([NAME, name]));

function writtenLabels(namesAndValues: readonly string[]): Uint8Array {
  const series = new PbfWriter();
  for (let at = 0; at < namesAndValues.length; at += 2)
    series.writeMessage(1, writeLabel, namesAndValues.slice(at, at + 2));
  return series.finish();
}

/** `prometheus.WriteRequest` (remote write 1.0), with the metadata of its families. */
export function writeRequest1(samples: readonly PushedSample[]): Uint8Array {
  const request = new PbfWriter();
  const writeSeries = (sample: PushedSample, series: PbfWriter) => {
    const { before, after } = written(sample.labels);
    for (const bytes of [before, writtenName(sample.family), after]) writeAsIs(series, bytes);
    series.writeMessage(2, writeSample, sample);
  };
  for (const sample of samples) request.writeMessage(1, writeSeries, sample);
  const families = new Map(samples.map(({ family }) => [wholeName(family), family]));
  for (const family of families.values()) request.writeMessage(3, writeFamily, family);
  return request.finish();
}

function writeAsIs(message: PbfWriter, bytes: Uint8Array): void {
  message.realloc(bytes.length);
  message.buf.set(bytes, message.pos);
  message.pos += bytes.length;
}

/** A text, and where it stands among those of the request that had it last: to look up each in a table takes as long as all else. */
interface Text {
  readonly text: string;
  place: number;
  request: number;
}

/** Where so many are known they are forgotten: a backlog may have millions. */
const MOST_TEXTS = 20_000;
const texts = new Map<string, Text>();
/** How many requests there were: a number, since a text that keeps a request's symbols would keep all of them. */
let requests = 0;

function textOf(text: string): Text {
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= MOST_TEXTS) texts.clear();
  const made = { text, place: 0, request: 0 };
  texts.set(text, made);
  return made;
}

const textsOfLabels = once((labels: Labels) => {
  const { before, after } = ordered(labels);
  return { before: before.map(textOf), after: after.map(textOf) };
});

const textsOfFamily = once((family: PushedFamily) => ({
  name: textOf(family.name),
  type: TYPES[family.type],
  help: textOf(helpOf(family)),
}));

/** `io.prometheus.write.v2.Request` (remote write 2.0), with metadata and created timestamps. */
export function writeRequest2(samples: readonly PushedSample[]): Uint8Array {
  const request = new PbfWriter();
  requests += 1;
  const symbols: string[] = [];
  const reference = (text: Text): number => {
    if (text.request !== requests) {
      text.request = requests;
      text.place = symbols.push(text.text) - 1;
    }
    return text.place;
  };
  // The first is empty, as the protocol has it.
  reference(textOf(''));
  const name = textOf(NAME);
  const places: number[] = [];
  const writeMetadata = ({ type, help }: ReturnType<typeof textsOfFamily>, metadata: PbfWriter) => {
    metadata.writeVarintField(1, type);
    metadata.writeVarintField(3, reference(help));
  };
  const writeSeries = (sample: PushedSample, series: PbfWriter) => {
    const { before, after } = textsOfLabels(sample.labels);
    const family = textsOfFamily(sample.family);
    places.length = 0;
    for (const text of before) places.push(reference(text));
    places.push(reference(name), reference(family.name));
    for (const text of after) places.push(reference(text));
    series.writePackedVarint(1, places);
    series.writeMessage(2, writeSample, sample);
    series.writeMessage(5, writeMetadata, family);
    if (sample.since !== undefined) series.writeVarintField(6, sample.since);
  };
  for (const sample of samples) request.writeMessage(5, writeSeries, sample);
  for (const text of symbols) request.writeStringField(4, text);
  return request.finish();
}

/** A `Label` of a `TimeSeries`. */
function writeLabel([name = '', value = '']: readonly string[], label: PbfWriter): void {
  label.writeStringField(1, name);
  label.writeStringField(2, value);
}

/** `MetricMetadata` */
function writeFamily(family: PushedFamily, metadata: PbfWriter): void {
  metadata.writeVarintField(1, TYPES[family.type]);
  metadata.writeStringField(2, wholeName(family));
  metadata.writeStringField(4, helpOf(family));
}

/** Prometheus' `value.StaleNaN`: a NaN of bits of its own, which numbers of JavaScript do not keep. */
const STALE_NAN = 0x7ff0000000000002n;

/** `Sample`, of either version. */
function writeSample({ value, at, ended }: PushedSample, sample: PbfWriter): void {
  if (ended) writeFixed64(sample, 1, STALE_NAN);
  else sample.writeDoubleField(1, value);
  sample.writeVarintField(2, at);
}

/** A family's name without what the lines of histograms and summaries add to it. */
function wholeName({ name, type }: PushedFamily): string {
  return type === 'histogram' || type === 'summary' ? name.replace(/_(bucket|sum|count)$/, '') : name;
}
