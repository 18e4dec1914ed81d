import { type Colour, oneLine } from '../text/output.ts';

/** Result of a step; the exporter works despite warnings. */
type StepStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** One step of an examination. */
export interface Step {
  readonly step: string;
  readonly status: StepStatus;
  /** Result as a sentence for the operator. It contains no secret. */
  readonly text: string;
  /** Families that will be absent from `/metrics` as a consequence. */
  readonly absent?: readonly string[];
}

/** Returns constructors for the steps of one name, by status. */
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

/** Widths of the status and step columns; a longer name shifts its sentence. */
const STATUS_WIDTH = 8;
const STEP_WIDTH = 26;

/** Maximum number of families that a line lists. */
const NAMED_FAMILIES = 6;

/** Returns a step as a line of text, with another line for absent families. */
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
