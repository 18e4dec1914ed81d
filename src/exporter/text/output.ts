import { randomUUID } from 'node:crypto';

/** Destination of text: a terminal, a pipe or a file. */
export interface Output {
  write(text: string): unknown;
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
  /** Token that stands for the escape character in the exporter's own control sequences; default: the character itself. */
  readonly escape?: string | undefined;
}

const ESCAPE = '\u001b';

/** Characters that a terminal interprets instead of displaying: control characters, and marks of the text direction. */
const UNSEEN = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Returns the text with each control or direction character replaced by an escape such as `\u202e`, which is also valid in JSON.
 * Line ends and tabs stay.
 */
export function showing(text: string): string {
  return text.replace(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns an output that displays control characters as escapes. The exporter's own control sequences use a random token instead of
 * the escape character.
 */
export function showingAll(output: Output): Output {
  const token = randomUUID();
  const write = (text: string) => output.write(text.split(token).map(showing).join(ESCAPE));
  return { isTTY: output.isTTY, escape: token, write };
}

const CODES = { red: 31, green: 32, yellow: 33, grey: 90 } as const;

export type Colour = keyof typeof CODES;

/** Returns the text in colour if the output is a terminal and NO_COLOR is not set; otherwise the text itself. */
export function paint(
  { isTTY, escape: esc = ESCAPE }: Output,
  env: Readonly<Record<string, string | undefined>>,
  colour: Colour,
  text: string,
): string {
  const wanted = isTTY === true && (env['NO_COLOR'] ?? '') === '';
  return wanted ? `${esc}[${CODES[colour]}m${text}${esc}[0m` : text;
}

/** Returns functions that write an error or a warning as a line of its own. */
export function complaintsOn(output: Output, env: Readonly<Record<string, string | undefined>>) {
  const saying = (colour: Colour, label: string) => (text: string) =>
    void output.write(`${paint(output, env, colour, label)}: ${oneLine(text)}\n`);
  return { complain: saying('red', 'error'), warn: saying('yellow', 'warning') };
}

/** Returns the sequence that clears the terminal's current line and moves the cursor to its beginning. */
export function clearLine({ escape: esc = ESCAPE }: Output): string {
  return `${esc}[G${esc}[K`;
}

/** Returns the text with each line end replaced by `\\n`, so that no name starts a new line. */
export function oneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** Returns a left-aligned column, for words. */
export function left(title: string): Column {
  return { title, align: 'left' };
}

/** Returns a right-aligned column, for numbers. */
export function right(title: string): Column {
  return { title, align: 'right' };
}

/** Returns rows as aligned lines below their titles, one line each. Columns are two spaces apart, and no line ends in spaces. */
export function renderTable(columns: readonly Column[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(oneLine));
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, index) =>
    Math.max(...[titles, ...rows].map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => {
        const cell = cells[index] ?? '';
        const width = widths[index] ?? 0;
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [titles, ...rows].map((row) => `${line(row)}\n`).join('');
}
