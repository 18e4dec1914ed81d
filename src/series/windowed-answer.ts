import type { Decoded } from '../decode/decode.ts';
import type { Window } from '../settling/window.ts';

/** An answer with the window that was asked for. */
export interface WindowedAnswer {
  readonly decoded: Decoded;
  readonly window: Window;
  /** The platform's time when the answer came. */
  readonly now: number;
}
