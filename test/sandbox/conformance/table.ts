import type { Row } from './row.ts';

/** The rows as lines of a Markdown table: one for each sentence, in the order of the sections. */
export function tableOf(rows: readonly Row[]): string[] {
  const lines = new Map<
    string,
    { section: string; quote: string; embedded: string; families: Set<string> }
  >();
  for (const row of rows) {
    const { section, families = [] } = row;
    const embedded = row.steps ? (row.embedded ?? 'as specified') : `not checked: ${row.embedded}`;
    for (const quote of row.quotes) {
      const key = `${section} ${quote}`;
      const line = lines.get(key) ?? { section, quote, embedded, families: new Set() };
      for (const family of families) line.families.add(`\`${family}\``);
      lines.set(key, line);
    }
  }
  return [
    '| section | the specification says | embedded platform | exporter |',
    '|---|---|---|---|',
    ...[...lines.values()]
      .sort((a, b) => orderOf(a.section) - orderOf(b.section))
      .map(({ section, quote, embedded, families }) =>
        `| ${section === '0' ? 'preface' : section} | ${quote.trim()} | ${embedded} | ${[...families].join(' ')} |`.replaceAll(
          '  ',
          ' ',
        ),
      ),
  ];
}

/** 4.2 comes before 4.10. */
function orderOf(section: string): number {
  const [chapter = 0, part = 0] = section.split('.').map(Number);
  return chapter * 100 + part;
}
