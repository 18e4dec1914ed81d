/** A metric family: all the series that share a name, a type and a help text. */
export interface Family {
  /** Name as on a sample line, so a counter's ends in `_total`. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  /** Meaning, unit, and the part of the platform's API that it comes from. */
  readonly help: string;
}

/** A family whose series all have the same label names. */
export interface LabelledFamily extends Family {
  readonly labels: readonly string[];
}

/** Label names and values, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** Sample as exposed; its time is the time of the scrape. */
export interface Sample {
  readonly family: Family;
  readonly labels: Labels;
  readonly value: number;
}

/** A sample at a time of its own, for receivers that keep it there. */
export interface TimedSample extends Sample {
  /** Milliseconds since the epoch; for a bucket its end, when its value is complete. */
  readonly at: number;
  /** Time at which a counter was zero (ms since the epoch); undefined for a gauge. */
  readonly since?: number;
}
