import snappy from 'snappyjs';
import type { PushedSample } from './pushed-sample.ts';
import { type ReceiverAnswer, refusalOrFailure } from './receiver-answer.ts';
import { NoReply, type ReceiverConnection, type Reply } from './receiver-connection.ts';
import { writeRequest1, writeRequest2 } from './remote-write-messages.ts';

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

  /** Sends samples in one request, no two of one series. @throws the signal's reason when it aborts */
  async send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer> {
    try {
      const reply = await this.#post(samples, signal);
      // What an old receiver makes of 2.0 is up to it: most answer 204 and store nothing.
      if (this.#version === '2.0' && !knows2(reply)) {
        this.#version = '1.0';
        return answerOf(await this.#post(samples, signal), samples.length);
      }
      return answerOf(reply, samples.length);
    } catch (error) {
      if (error instanceof NoReply) return { kind: 'failed', words: error.message };
      throw error;
    }
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
