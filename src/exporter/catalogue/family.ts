/** A metric family: all the series that share a name, a type and a help text. */
export interface Family {
  /** Name as on a sample line; that of a counter ends in `_total`. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  /** Help text: meaning, unit, and the source in the platform's API. */
  readonly help: string;
}

/** A family whose series all have the same label names. */
export interface LabelledFamily extends Family {
  readonly labels: readonly string[];
}

/** Label names and values, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** Exposed sample, whose time is that of the scrape. */
export interface Sample {
  readonly family: Family;
  readonly labels: Labels;
  readonly value: number;
}

/** A sample with its own time, for receivers that store it. */
export interface TimedSample extends Sample {
  /** Milliseconds since the epoch; for a bucket its end, when its value is complete. */
  readonly at: number;
  /** Start time of a counter (ms since the epoch); undefined for a gauge. */
  readonly since?: number;
}
