import type { Clock } from '../clock.ts';
import { type PushedSample, pushed } from '../push/pushed-sample.ts';
import { selectionOf } from '../push/receiver-selection.ts';
import { Delivery, REQUEST_SAMPLES } from '../push/sample-delivery.ts';
import type { Collected } from './collect.ts';
import type { HistorySeries } from './history-families.ts';
import type { HistoryReceiver } from './history-receivers.ts';
import { RETRY_TIMEOUT_MS } from './retry.ts';
import { assemble, type SeriesHistory } from './series-history.ts';

/** Told what becomes of a history that is pushed. */
export interface PushHistoryObserver {
  /** A receiver has taken samples. */
  pushed(receiver: string, samples: number): void;
  /** A receiver takes samples never; told for the first of each reason. @param words its own, without secrets */
  refused(receiver: string, reason: string, words: string): void;
  /** A request has failed and is made again. */
  pushFailed(receiver: string, words: string): void;
}

export interface PushHistoryOptions {
  readonly to: HistoryReceiver;
  /** What was read, in the order of the plan. */
  readonly collected: readonly Pick<Collected, 'spool'>[];
  /** The series that the history has, of all families. */
  readonly series: readonly HistorySeries[];
  /** Buckets that end later (ms) are left out. */
  readonly end: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly observer: PushHistoryObserver;
}

/** A receiver that takes no samples for too long. */
export class ReceiverFailure extends Error {
  override readonly name = 'ReceiverFailure';

  constructor(receiver: string, words: string) {
    super(`receiver ${receiver}: ${words}`);
  }
}

/**
 * Sends a receiver what it lacks of a history: one metric of one target after the other, within it bucket after bucket,
 * so that each series comes in order. What it has answered for is recorded, and not sent again by a later run.
 * @throws ReceiverFailure when it keeps failing, and the signal's reason when it aborts
 */
export async function pushHistory(options: PushHistoryOptions): Promise<void> {
  const { to, collected, series, end, signal } = options;
  const { receiver, record } = to;
  const wants = selectionOf(receiver);
  const delivered = deliveryTo(options);
  for (const [number, { spool }] of collected.entries()) {
    const wanted = series.filter((one) => one.spool === spool && wants(one));
    if (wanted.length === 0) continue;
    const history = assemble(await spool.records(), end);
    for (const { samples, buckets } of batchesOf(history, wanted, record.buckets(number))) {
      const outcome = await delivered(samples, signal);
      await record.append({ series: number, buckets, ...outcome });
    }
  }
}

/** Samples of one metric that go out together. */
interface HistoryBatch {
  readonly samples: readonly PushedSample[];
  /** So many of the metric's buckets are done after it. */
  readonly buckets: number;
}

/** @param done so many buckets are left out, but counted */
function* batchesOf(
  history: SeriesHistory,
  series: readonly HistorySeries[],
  done: number,
): Generator<HistoryBatch> {
  const samplesOf = series.flatMap((one) => samplesOfBucket(one, history));
  let samples: PushedSample[] = [];
  for (let index = 0; index < history.starts.length; index += 1) {
    const more = samplesOf.flatMap((samplesAt) => samplesAt(index));
    if (index < done) continue;
    if (samples.length > 0 && samples.length + more.length > REQUEST_SAMPLES) {
      yield { samples, buckets: index };
      samples = [];
    }
    samples.push(...more);
  }
  if (samples.length > 0) yield { samples, buckets: history.starts.length };
}

function samplesOfBucket({ family, labels, pointsIn }: HistorySeries, history: SeriesHistory) {
  const points = pointsIn(history);
  if (points === undefined) return [];
  const shown = pushed({ family, labels, value: 0, at: 0 });
  return [(index: number): PushedSample[] => points(index).map((point) => ({ ...shown, ...point }))];
}

interface Outcome {
  readonly sent: number;
  readonly refused: Record<string, number>;
}

/** Delivers samples as those of the exporter are, and counts what became of them; gives up after a while of failures. */
function deliveryTo({ to, clock, observer }: PushHistoryOptions) {
  const { receiver, protocol, record } = to;
  const { name } = receiver;
  let failingSince: number | undefined;
  let sent = 0;
  let refused: Record<string, number> = {};
  const told = new Set(record.refused.keys());
  const delivery = new Delivery({
    clock,
    send: (samples, signal) => protocol.send(samples, signal),
    sent(samples) {
      failingSince = undefined;
      sent += samples;
      observer.pushed(name, samples);
    },
    refused(reason, samples, words) {
      failingSince = undefined;
      refused[reason] = (refused[reason] ?? 0) + samples;
      if (!told.has(reason)) observer.refused(name, reason, words);
      told.add(reason);
    },
    failed(words) {
      failingSince ??= clock.now();
      if (clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw new ReceiverFailure(name, words);
      observer.pushFailed(name, words);
    },
  });
  return async (samples: readonly PushedSample[], signal: AbortSignal): Promise<Outcome> => {
    sent = 0;
    refused = {};
    await delivery.deliver(samples, signal);
    return { sent, refused };
  };
}
