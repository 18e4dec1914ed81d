import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { otlpRequest } from './otlp-messages.ts';
import { partialSuccess } from './otlp-partial-success.ts';
import type { PushedSample } from './pushed-sample.ts';
import { type ReceiverAnswer, reasonIn, refusalOrFailure } from './receiver-answer.ts';
import { NoReply, type ReceiverConnection, type Reply } from './receiver-connection.ts';

const HEADERS = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };

const compress = promisify(gzip);

/** OTLP/HTTP with protobuf to one receiver. */
export class Otlp {
  readonly name = 'otlp';
  readonly #connection: Pick<ReceiverConnection, 'post'>;

  constructor(connection: Pick<ReceiverConnection, 'post'>) {
    this.#connection = connection;
  }

  /** Sends samples in one request, no two of one series. @throws the signal's reason when it aborts */
  async send(samples: readonly PushedSample[], signal: AbortSignal): Promise<ReceiverAnswer> {
    try {
      const message = await compress(otlpRequest(samples));
      return answerOf(await this.#connection.post(message, HEADERS, signal));
    } catch (error) {
      if (error instanceof NoReply) return { kind: 'failed', words: error.message };
      throw error;
    }
  }
}

function answerOf({ status, body, words, retryAfterMs }: Reply): ReceiverAnswer {
  if (status >= 300) return refusalOrFailure(status, words, retryAfterMs);
  const rejected = partialSuccess(body);
  if (rejected === 0) return { kind: 'accepted' };
  return { kind: 'partly accepted', rejected, reason: reasonIn(words) ?? 'invalid', words };
}
