import type { PlatformClock } from '../platform/platform-clock.ts';
import { FRAME_MS, Frame, type FrameReading } from './frame.ts';
import { OtherUsers } from './other-users.ts';

/** The platform's frames one after another, as its answers tell of them, and what others take from them. */
export class Frames {
  readonly others = new OtherUsers();
  readonly #clock: PlatformClock;
  #last: Frame | undefined;
  #lengthMs = FRAME_MS;

  constructor(clock: PlatformClock) {
    this.#clock = clock;
  }

  /** The newest frame, open or not. */
  get last(): Frame | undefined {
    return this.#last;
  }

  /** How long frames last (ms). */
  get lengthMs(): number {
    return this.#lengthMs;
  }

  /** The frame that is open now (local ms), or undefined when there is none. */
  open(now: number): Frame | undefined {
    return this.#last !== undefined && now < this.#last.closesAt ? this.#last : undefined;
  }

  /** Takes in an answer. False when it is of the past and tells nothing of the present. */
  read(reading: FrameReading): boolean {
    const relation = this.#last?.relation(reading, this.#clock) ?? 'later';
    if (relation === 'past') return false;
    if (relation === 'later') this.#begin(reading);
    if (relation === 'other') this.#last?.limitTo(reading.rate?.remaining);
    else this.#last?.take(reading, this.#clock);
    return true;
  }

  #begin(reading: FrameReading): void {
    const { now, limit, rate } = reading;
    const before = this.#last;
    if (before !== undefined) this.others.remember(before);
    const frame = new Frame(reading, this.#clock, this.#lengthMs);
    this.#last = frame;
    if (before?.resetAt !== undefined && before.resetAt === rate?.resetAt) frame.prolong(now);
    // We opened the frame ourselves, so that all of it lies ahead.
    else if (this.#clock.known && rate?.remaining === limit - 1) this.#lengthMs = frame.closesAt - now;
  }
}
