/** The lines of a Markdown table; cells may hold anything but line breaks. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)];
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** The page with the block of this name replaced; it stands between `<!-- name:begin -->` and `<!-- name:end -->`. */
export function replaceBlock(page: string, name: string, lines: readonly string[]): string {
  const block = new RegExp(`<!-- ${name}:begin -->.*<!-- ${name}:end -->`, 's');
  if (!block.test(page)) throw new Error(`the page has no block ${name}`);
  return page.replace(block, () => [`<!-- ${name}:begin -->`, ...lines, `<!-- ${name}:end -->`].join('\n'));
}
