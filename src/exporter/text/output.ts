/** Somewhere that text is written to: a terminal, a pipe, a file. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
}

/**
 * What a terminal would act on instead of showing it: control characters, and marks that change the order of text. What
 * comes first is kept: line ends, tabs, the colours of `paint`, and what clears a line that shows progress.
 */
const ESCAPE = String.fromCharCode(27);
const UNSEEN = new RegExp(
  `(\\n|\\t|\\r${ESCAPE}\\[K|${ESCAPE}\\[(?:0|3[0-9]|90)m)|[\\p{Cc}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]`,
  'gu',
);

/** An output on which such characters, which names of the platform may contain, show as `\u202e`; also valid within JSON. */
export function showingAll(output: Output): Output {
  const shown = (text: string) =>
    text.replace(
      UNSEEN,
      (found, kept: string | undefined) => kept ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return { isTTY: output.isTTY, write: (text) => output.write(shown(text)) };
}

const CODES = { red: 31, green: 32, yellow: 33, grey: 90 } as const;

export type Colour = keyof typeof CODES;

/** The text in colour if the output is a terminal and NO_COLOR is not set. */
export function paint(
  output: Output,
  env: Readonly<Record<string, string | undefined>>,
  colour: Colour,
  text: string,
): string {
  const wanted = output.isTTY === true && (env['NO_COLOR'] ?? '') === '';
  return wanted ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** A column of words. */
export function left(title: string): Column {
  return { title, align: 'left' };
}

/** A column of numbers. */
export function right(title: string): Column {
  return { title, align: 'right' };
}

/** Rows as aligned lines under their titles, a line each whatever the cells contain; the columns are two spaces apart and no line ends in spaces. */
export function renderTable(columns: readonly Column[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll('\n', '\\n')));
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
