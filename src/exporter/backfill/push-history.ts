import type { Clock } from '../clock.ts';
import { Delivery, REQUEST_SAMPLES } from '../push/delivery.ts';
import {
  type Protocol,
  type PushedSample,
  pushed,
  type ReceiverAnswer,
  selectionOf,
} from '../push/protocol.ts';
import type { ConnectedReceiver } from '../push/running-receiver.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { type Collected, RETRY_TIMEOUT_MS } from './collect.ts';
import { moment } from './history-plan.ts';
import type { BackfillProgress } from './progress.ts';
import { BackfillRefusal, LongFailure, Misuse } from './refusal.ts';
import { assemble, type HistorySeries, type SeriesHistory } from './series-history.ts';
import type { PushedRecord } from './work-folder.ts';

interface PushHistoryOptions {
  readonly to: HistoryReceiver;
  /** What was read, in the order of the plan. */
  readonly collected: readonly Pick<Collected, 'spool'>[];
  readonly series: readonly HistorySeries[];
  readonly end: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: BackfillProgress;
}

/** Sends a receiver what it lacks of a history, each series in order. @throws LongFailure, and the signal's reason */
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

/** Samples of one metric that go out together, and how many of its buckets are done then; `done` are left out at first. */
function* batchesOf(
  history: SeriesHistory,
  series: readonly HistorySeries[],
  done: number,
): Generator<{ readonly samples: readonly PushedSample[]; readonly buckets: number }> {
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

/** Delivers samples as those of the exporter are, and counts what became of them; gives up after a while of failures. */
function deliveryTo({ to, clock, progress }: PushHistoryOptions) {
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
      progress.take(samples);
    },
    refused(reason, samples, words) {
      failingSince = undefined;
      refused[reason] = (refused[reason] ?? 0) + samples;
      if (!told.has(reason)) {
        const facts = { receiver: name, reason, answer: words };
        progress.log.warn(facts, 'the receiver refuses samples for good');
      }
      told.add(reason);
    },
    failed(words) {
      failingSince ??= clock.now();
      if (clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw new LongFailure(`receiver ${name}: ${words}`);
      progress.log.warn({ receiver: name, reason: words }, 'pushing failed; trying again');
    },
  });
  return async (samples: readonly PushedSample[], signal: AbortSignal) => {
    sent = 0;
    refused = {};
    while (!(await delivery.deliver(samples, signal)));
    return { sent, refused };
  };
}

/** A receiver with what it has of the history. */
export interface HistoryReceiver extends ConnectedReceiver {
  readonly record: PushedRecord;
}

/** Reports what receivers have refused for good; the next run sends it again. @throws BackfillRefusal when there is such */
export async function refuseIncomplete(receivers: readonly HistoryReceiver[], folder: string): Promise<void> {
  const incomplete = receivers.filter(({ record }) => record.refused.size > 0);
  if (incomplete.length === 0) return;
  const phrases = incomplete.map(({ receiver, record: { sent, refused } }) => {
    const reasons = [...refused].map(([reason, samples]) => `${reason} ${samples}`).join(', ');
    const count = [...refused.values()].reduce((sum, samples) => sum + samples, 0);
    return `receiver ${receiver.name} refused ${count} of ${sent + count} samples (${reasons})`;
  });
  for (const { record } of incomplete) await record.forget();
  const advice = `once they are taken, the same command sends all of it again from ${folder}, without reading it again`;
  throw new BackfillRefusal(`${phrases.join('; ')}: ${advice}`);
}

/** Written into the receiver, under a label of its own for each time, so that none is out of order. */
const PROBE = { name: 'edge_exporter_backfill_probe', type: 'gauge' } as const;

/** Probes a receiver with a sample of each end of the range. @throws BackfillRefusal with the earliest time that it takes */
export async function refuseUntaken(
  { name, protocol }: { readonly name: string; readonly protocol: Pick<Protocol, 'send'> },
  { from, to }: Window,
  signal: AbortSignal,
): Promise<void> {
  const answerFor = async (at: number) => {
    const series = { family: PROBE, labels: { time: moment(at) } };
    const probe = { series, value: 1, at, since: undefined };
    return complaintOf(await protocol.send([probe], signal));
  };
  const newest = await answerFor(to);
  if (newest !== undefined) {
    const sentence = `receiver ${name} does not take a sample of ${moment(to)}: ${newest.words}`;
    throw newest.isTooOld ? new Misuse(sentence) : new BackfillRefusal(sentence);
  }
  const oldest = await answerFor(from);
  if (oldest === undefined) return;
  const { words, isTooOld } = oldest;
  if (!isTooOld) throw new BackfillRefusal(`receiver ${name}: ${words}`);
  const earliest = await earliestTaken({ from, to }, async (at) => (await answerFor(at)) === undefined);
  const sentence = `receiver ${name} takes nothing before ${moment(earliest)} (${words}): widen its out-of-order window, or choose a later --from`;
  throw new Misuse(sentence);
}

function complaintOf(answer: ReceiverAnswer) {
  if (answer.kind === 'accepted') return undefined;
  if (answer.kind === 'failed') return { words: answer.words, isTooOld: false };
  return { words: answer.words, isTooOld: answer.reason === 'too_old' || answer.reason === 'out_of_order' };
}

/** The first minute that is taken, between one that is not and one that is. */
async function earliestTaken(
  { from, to }: Window,
  isTaken: (at: number) => Promise<boolean>,
): Promise<number> {
  let refused = from;
  let taken = to;
  while (taken - refused > MINUTE_MS) {
    const middle = refused + Math.floor((taken - refused) / 2 / MINUTE_MS) * MINUTE_MS;
    if (await isTaken(middle)) taken = middle;
    else refused = middle;
  }
  return taken;
}
