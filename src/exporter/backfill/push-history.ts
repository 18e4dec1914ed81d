import type { Clock } from '../clock.ts';
import type { Progress } from '../command-line/progress.ts';
import { Delivery, REQUEST_SAMPLES } from '../push/delivery.ts';
import { type Protocol, type PushedSample, pushed, selectionOf } from '../push/protocol.ts';
import type { ConnectedReceiver } from '../push/running-receiver.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { RETRY_TIMEOUT_MS } from './attempts.ts';
import type { OutputSeries } from './history-output.ts';
import { moment } from './history-plan.ts';
import type { HistoryState } from './history-state.ts';
import { BackfillRefusal, LongFailure, Misuse } from './refusal.ts';

interface PushOptions {
  readonly to: ConnectedReceiver;
  readonly series: readonly OutputSeries[];
  readonly state: HistoryState;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Sends a receiver the samples of a history that it lacks, series by series in order of time.
 * @throws LongFailure, and the signal's reason if it aborts
 */
export async function pushHistory({
  to,
  series,
  state,
  clock,
  signal,
  progress,
}: PushOptions): Promise<void> {
  const { receiver, protocol } = to;
  const { name } = receiver;
  let { sent, ...position } = state.pushed(receiver);
  const refused = { ...position.refused };
  const told = new Set(Object.keys(refused));
  let failingSince: number | undefined;
  const delivery = new Delivery({
    clock,
    send: (samples, ending) => protocol.send(samples, ending),
    sent(samples) {
      failingSince = undefined;
      sent += samples;
      progress.stage = `pushing, ${sent} samples taken by receiver ${name}`;
    },
    refused(reason, samples, words) {
      failingSince = undefined;
      refused[reason] = (refused[reason] ?? 0) + samples;
      if (told.has(reason)) return;
      told.add(reason);
      progress.log.warn({ receiver: name, reason, answer: words }, 'the receiver refuses samples for good');
    },
    failed(words) {
      failingSince ??= clock.now();
      if (clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw new LongFailure(`receiver ${name}: ${words}`);
      progress.log.warn({ receiver: name, reason: words }, 'pushing failed; trying again');
    },
  });
  const wants = selectionOf(receiver);
  for (const [index, one] of series.filter(wants).entries()) {
    if (index < position.series) continue;
    let done = index === position.series ? position.samples : 0;
    for await (const samples of requestsOf(one, done)) {
      while (!(await delivery.deliver(samples, signal)));
      done += samples.length;
      await state.keepPushed(receiver, { series: index, samples: done, sent, refused: { ...refused } });
    }
  }
}

/** Yields the samples of a series in chunks for one request each. @param done number of samples to skip at the beginning */
async function* requestsOf(one: OutputSeries, done: number): AsyncGenerator<readonly PushedSample[]> {
  const { series } = pushed({ ...one, value: 0, at: 0 });
  let left = done;
  let request: PushedSample[] = [];
  for await (const samples of one.samples()) {
    for (const { value, at, since } of samples.slice(left)) request.push({ series, value, at, since });
    left = Math.max(0, left - samples.length);
    if (request.length < REQUEST_SAMPLES) continue;
    yield request.slice(0, REQUEST_SAMPLES);
    request = request.slice(REQUEST_SAMPLES);
  }
  if (request.length > 0) yield request;
}

/** Reports the samples that receivers refused for good. The next run sends everything again. @throws BackfillRefusal if any */
export async function refuseIncomplete(
  receivers: readonly ConnectedReceiver[],
  state: HistoryState,
): Promise<void> {
  const phrases: string[] = [];
  for (const { receiver } of receivers) {
    const { sent, refused } = state.pushed(receiver);
    const count = Object.values(refused).reduce((sum, samples) => sum + samples, 0);
    if (count === 0) continue;
    const reasons = Object.entries(refused).map(([reason, samples]) => `${reason} ${samples}`);
    phrases.push(
      `receiver ${receiver.name} refused ${count} of ${sent + count} samples (${reasons.join(', ')})`,
    );
    await state.keepPushed(receiver, undefined);
  }
  if (phrases.length === 0) return;
  const advice = `once they are taken, the same command sends all of it again from ${state.path}, without reading it again`;
  throw new BackfillRefusal(`${phrases.join('; ')}: ${advice}`);
}

/** Family of the probes that are written to the receiver. Each time has its own label, so that no sample is out of order. */
const PROBE = { name: 'edge_exporter_backfill_probe', type: 'gauge' } as const;

/** Probes a receiver with a sample at each end of the range. @throws BackfillRefusal with the earliest accepted time */
export async function refuseUntaken(
  { name, protocol }: { readonly name: string; readonly protocol: Pick<Protocol, 'send'> },
  { from, to }: Window,
  signal: AbortSignal,
): Promise<void> {
  const complaintAt = async (at: number) => {
    const series = { family: PROBE, labels: { time: moment(at) } };
    const answer = await protocol.send([{ series, value: 1, at, since: undefined }], signal);
    if (answer.kind === 'accepted') return undefined;
    const isTooOld = 'reason' in answer && ['too_old', 'out_of_order'].includes(answer.reason);
    return { words: answer.words, Refusal: isTooOld ? Misuse : BackfillRefusal };
  };
  const newest = await complaintAt(to);
  if (newest !== undefined) {
    const { Refusal, words } = newest;
    throw new Refusal(`receiver ${name} does not take a sample of ${moment(to)}: ${words}`);
  }
  const oldest = await complaintAt(from);
  if (oldest === undefined) return;
  const { Refusal, words } = oldest;
  if (Refusal !== Misuse) throw new Refusal(`receiver ${name}: ${words}`);
  let [refused, taken] = [from, to];
  while (taken - refused > MINUTE_MS) {
    const middle = refused + Math.floor((taken - refused) / 2 / MINUTE_MS) * MINUTE_MS;
    if ((await complaintAt(middle)) === undefined) taken = middle;
    else refused = middle;
  }
  const advice = 'widen its out-of-order window, or choose a later --from';
  throw new Misuse(`receiver ${name} takes nothing before ${moment(taken)} (${words}): ${advice}`);
}
