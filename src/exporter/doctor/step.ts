/** Result of a step; the exporter works despite warnings. */
export type StepStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** One step of an examination, as the operator reads it. */
export interface Step {
  /** What was checked. */
  readonly step: string;
  readonly status: StepStatus;
  /** The sentence that the operator needs. It holds no secret. */
  readonly text: string;
  /** Families that will therefore be absent from `/metrics`. */
  readonly absent?: readonly string[];
}

/** Makes the steps of one name. */
export function stepsNamed(step: string) {
  const make =
    (status: StepStatus) =>
    (text: string, absent: readonly string[] = []) =>
      absent.length === 0 ? { step, status, text } : { step, status, text, absent };
  return { ok: make('ok'), warning: make('warning'), problem: make('problem'), skipped: make('skipped') };
}
