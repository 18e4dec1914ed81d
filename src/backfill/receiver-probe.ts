import type { Protocol } from '../push/protocol.ts';
import type { ReceiverAnswer } from '../push/receiver-answer.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { moment } from './history-range.ts';
import { BackfillRefusal } from './refusal.ts';

/** Written into the receiver, under a label of its own for each time, so that none is out of order. */
const PROBE = { name: 'edge_exporter_backfill_probe', type: 'gauge' } as const;

export interface ProbedReceiver {
  readonly name: string;
  readonly protocol: Pick<Protocol, 'send'>;
}

/**
 * Asks a receiver, before anything is read, for a sample at each end of the range: how far back it goes it says by
 * taking it or not.
 * @throws BackfillRefusal with the earliest time that it takes, or with its words
 */
export async function refuseUntaken(
  { name, protocol }: ProbedReceiver,
  { from, to }: Window,
  signal: AbortSignal,
): Promise<void> {
  const answerFor = async (at: number) => {
    const probe = { family: PROBE, labels: { time: moment(at) }, value: 1, at, since: undefined };
    return complaintOf(await protocol.send([probe], signal));
  };
  const newest = await answerFor(to);
  if (newest !== undefined) {
    const sentence = `receiver ${name} does not take a sample of ${moment(to)}: ${newest.words}`;
    throw new BackfillRefusal(sentence, { misused: newest.isTooOld });
  }
  const oldest = await answerFor(from);
  if (oldest === undefined) return;
  const { words, isTooOld } = oldest;
  if (!isTooOld) throw new BackfillRefusal(`receiver ${name}: ${words}`, { misused: false });
  const earliest = await earliestTaken({ from, to }, async (at) => (await answerFor(at)) === undefined);
  const sentence = `receiver ${name} takes nothing before ${moment(earliest)} (${words}): widen its out-of-order window, or choose a later --from`;
  throw new BackfillRefusal(sentence, { misused: true });
}

interface Complaint {
  readonly words: string;
  readonly isTooOld: boolean;
}

function complaintOf(answer: ReceiverAnswer): Complaint | undefined {
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
