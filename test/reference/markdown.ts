/** Returns the lines of a Markdown table. Cells may contain anything except line breaks. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)];
}

export function code(text: string): string {
  return `\`${text}\``;
}

/**
 * Returns the page with new lines between `<!-- name:begin -->` and `<!-- name:end -->`.
 * @throws Error if the page has no such block
 */
export function replaceBlock(page: string, name: string, lines: readonly string[]): string {
  const block = new RegExp(`<!-- ${name}:begin -->.*<!-- ${name}:end -->`, 's');
  if (!block.test(page)) throw new Error(`the page has no block ${name}`);
  return page.replace(block, () => [`<!-- ${name}:begin -->`, ...lines, `<!-- ${name}:end -->`].join('\n'));
}
