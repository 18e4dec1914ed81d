import type { RefusalReason } from './receiver-answer.ts';
import type { DropReason } from './receiver-queue.ts';

/** Told what becomes of what is pushed. */
export interface PushObserver {
  sent(receiver: string, samples: number): void;
  /** The receiver takes samples never. @param words its own, without secrets */
  refused(receiver: string, reason: RefusalReason, samples: number, words: string): void;
  /** Samples left the outbox without having been sent. */
  dropped(receiver: string, reason: DropReason, samples: number): void;
  /** A request has failed; what it held is sent again. */
  failed(receiver: string, words: string): void;
  /** A fault of the exporter itself ended the pushing to a receiver. */
  pushDefect(receiver: string, error: unknown): void;
}
