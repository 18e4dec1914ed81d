import { type Colour, oneLine } from '../text/output.ts';

/** Result of a step; the exporter works despite warnings. */
type StepStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** One step of an examination, as the operator reads it. */
export interface Step {
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

const COLOURS: Readonly<Record<StepStatus, Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  skipped: 'grey',
};

/** Widths of the columns of status and step; a longer name pushes its sentence aside. */
const STATUS_WIDTH = 8;
const STEP_WIDTH = 26;

/** Most families that a line names. */
const NAMED_FAMILIES = 6;

/** A step as a line, and another for what will be absent because of it. */
export function stepText(
  { step, status, text, absent = [] }: Step,
  paint: (colour: Colour, text: string) => string,
): string {
  const label = `${paint(COLOURS[status], status)}${' '.repeat(STATUS_WIDTH - status.length)}`;
  const line = `  ${label} ${oneLine(step.padEnd(STEP_WIDTH))} ${oneLine(text)}\n`;
  if (absent.length === 0) return line;
  const named = absent.slice(0, NAMED_FAMILIES).join(', ');
  const more = absent.length > NAMED_FAMILIES ? ` and ${absent.length - NAMED_FAMILIES} more` : '';
  return `${line}${' '.repeat(STATUS_WIDTH + STEP_WIDTH + 4)}absent from /metrics: ${named}${more}\n`;
}
