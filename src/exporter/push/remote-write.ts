import snappy from 'snappyjs';
import type { Labels } from '../catalogue/family.ts';
import { ProtobufWriter } from './protobuf.ts';
import { type ReceiverAnswer, refusalOrFailure } from './protocol.ts';
import { helpOf, type PushedFamily, type PushedSample } from './pushed-sample.ts';
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
    if (this.#version === '2.0' && !knows2(reply)) {
      this.#version = '1.0';
      reply = await this.#post(samples, signal);
    }
    return answerOf(reply, samples.length);
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

/** What is written for labels, before and after the family's name. */
interface Written<Part> {
  readonly before: Part;
  readonly after: Part;
}

/** Makes something of each object once: samples of equal labels, or of one family, mostly share it. */
function once<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new Map<Key, Made>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/** Writes labels in the order of their names, once for all the series that have them. */
function oncePerLabels<Part>(write: (names: readonly string[], labels: Labels) => Part) {
  return once((labels: Labels): Written<Part> => {
    const names = Object.keys(labels).sort();
    const first = names.findIndex((name) => name > NAME);
    const place = first < 0 ? names.length : first;
    return { before: write(names.slice(0, place), labels), after: write(names.slice(place), labels) };
  });
}

/** `prometheus.WriteRequest` (remote write 1.0), with the metadata of its families. */
export function writeRequest1(samples: readonly PushedSample[]): Uint8Array {
  const request = new ProtobufWriter();
  const writtenFor = oncePerLabels((names, labels) => {
    const writer = new ProtobufWriter(256);
    for (const name of names) writeLabel(writer, name, labels[name] ?? '');
    return writer.finish();
  });
  for (const sample of samples) {
    const { before, after } = writtenFor(sample.labels);
    request.message(1, (series) => {
      series.written(before);
      writeLabel(series, NAME, sample.family.name);
      series.written(after);
      series.message(2, (one) => writeSample(one, sample));
    });
  }
  const families = new Map(samples.map(({ family }) => [wholeName(family), family]));
  for (const [name, family] of families) {
    request.message(3, (metadata) => {
      metadata.integer(1, TYPES[family.type]);
      metadata.text(2, name);
      metadata.text(4, helpOf(family));
    });
  }
  return request.finish();
}

/** `io.prometheus.write.v2.Request` (remote write 2.0), with metadata and created timestamps. */
export function writeRequest2(samples: readonly PushedSample[]): Uint8Array {
  const request = new ProtobufWriter();
  const symbols = new Map([['', 0]]);
  const reference = (text: string): number => {
    const known = symbols.get(text);
    if (known === undefined) symbols.set(text, symbols.size);
    return known ?? symbols.size - 1;
  };
  const nameReference = reference(NAME);
  const referencesOf = oncePerLabels((names, labels) =>
    names.flatMap((name) => [reference(name), reference(labels[name] ?? '')]),
  );
  const familyOf = once((family: PushedFamily) => ({
    name: [nameReference, reference(family.name)],
    type: TYPES[family.type],
    help: reference(helpOf(family)),
  }));
  for (const sample of samples) {
    const { before, after } = referencesOf(sample.labels);
    const { name, type, help } = familyOf(sample.family);
    request.message(5, (series) => {
      series.packed(1, before, name, after);
      series.message(2, (one) => writeSample(one, sample));
      series.message(5, (metadata) => {
        metadata.integer(1, type);
        metadata.integer(3, help);
      });
      if (sample.since !== undefined) series.integer(6, sample.since);
    });
  }
  for (const text of symbols.keys()) request.text(4, text);
  return request.finish();
}

/** A `Label` of a `TimeSeries`. */
function writeLabel(writer: ProtobufWriter, name: string, value: string): void {
  writer.message(1, (label) => {
    label.text(1, name);
    label.text(2, value);
  });
}

/** `Sample`, of either version. */
function writeSample(writer: ProtobufWriter, { value, at, ended }: PushedSample): void {
  if (ended) writer.staleMarker(1);
  else writer.double(1, value);
  writer.integer(2, at);
}

/** A family's name without what the lines of histograms and summaries add to it. */
function wholeName({ name, type }: PushedFamily): string {
  return type === 'histogram' || type === 'summary' ? name.replace(/_(bucket|sum|count)$/, '') : name;
}
