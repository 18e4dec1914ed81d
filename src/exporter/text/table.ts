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
