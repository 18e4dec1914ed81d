import type { ReceiverStatus } from '../status.ts';
import type { ReceiverView } from './running-receiver.ts';

/** A receiver as the status tells of it; without its address, whose path may be a secret of its own. */
export function receiverStatus(view: ReceiverView): ReceiverStatus {
  const { name, protocol, samples, bytes, oldest, lastSuccessAt, trouble } = view;
  return {
    name,
    protocol,
    samples_waiting: samples,
    bytes_waiting: bytes,
    oldest_waiting_at: momentOf(oldest),
    last_success_at: momentOf(lastSuccessAt),
    note: trouble,
  };
}

function momentOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
