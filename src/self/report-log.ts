/** The part of a logger that is told of single events. */
export interface EventLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** The part of a logger that is used here. */
export interface ReportLog extends EventLog {
  error(facts: object, message: string): void;
}
