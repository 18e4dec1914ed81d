/** A time in which an alert fires: from, and to but not including; ms since the epoch. */
export interface Firing {
  readonly from: number;
  readonly to: number;
}

/** How long an alert's condition must hold, and how long the alert outlives it: milliseconds. */
export interface AlertTiming {
  readonly hold: number;
  readonly keepFiring: number;
}

/** When one alert of a rule fires, as Prometheus decides it, evaluation by evaluation. */
export class AlertState {
  readonly #timing: AlertTiming;
  #activeSince: number | undefined;
  #missingSince: number | undefined;
  /** When it began to fire; undefined while it does not. */
  firingSince: number | undefined;

  constructor(timing: AlertTiming) {
    this.#timing = timing;
  }

  /** Takes in an evaluation. @returns the time in which it fired, when that ends now */
  evaluate(moment: number, holds: boolean): Firing | undefined {
    if (holds) {
      this.#activeSince ??= moment;
      this.#missingSince = undefined;
      if (moment - this.#activeSince >= this.#timing.hold) this.firingSince ??= moment;
      return undefined;
    }
    if (this.#activeSince === undefined) return undefined;
    this.#missingSince ??= moment;
    const kept = this.firingSince !== undefined && moment - this.#missingSince < this.#timing.keepFiring;
    return kept ? undefined : this.#end(moment);
  }

  #end(moment: number): Firing | undefined {
    const from = this.firingSince;
    this.#activeSince = undefined;
    this.#missingSince = undefined;
    this.firingSince = undefined;
    return from === undefined ? undefined : { from, to: moment };
  }
}
