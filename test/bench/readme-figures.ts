const BEGIN = '<!-- benchmark:begin -->';
const END = '<!-- benchmark:end -->';

function rowOf(results: string, series: number, accounts: number): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  let heads: readonly string[] = [];
  for (const line of results.split('\n')) {
    const row = line.startsWith('|') ? line.split('|').slice(1, -1) : [];
    const texts = row.map((text) => text.trim());
    if (texts[0] === 'series') heads = texts;
    if (texts[0] !== `${series}` || texts[1] !== `${accounts}`) continue;
    for (const [index, head] of heads.entries()) if (!cells.has(head)) cells.set(head, texts[index] ?? '');
  }
  return cells;
}

/** Returns the README's text on the results of `npm run bench`; empty if results are missing. */
export function readmeFigures(results: string): string {
  const row = rowOf(results, 100_000, 1);
  const [date] = /^\d{4}-\d\d-\d\d/m.exec(results) ?? [];
  const scrape = Number(row.get('quiet p50'));
  const floor = Number(row.get('floor p50'));
  const others = [
    ['prom-client behind express', row.get('prom-client p50')],
    ['the Pushgateway', row.get('Pushgateway p50')],
  ].flatMap(([name, ms]) => (Number(ms) > 0 ? [`${name} ${Number(ms).toFixed(0)} ms`] : []));
  if (date === undefined || !(scrape > 0) || !(floor > 0)) return '';
  const beside = others.length === 0 ? '' : `; for the same series ${others.join(', ')}`;
  return `With 100,000 series a compressed scrape takes ${scrape.toFixed(1)} ms, a static file of the same bytes ${floor.toFixed(1)} ms${beside}
(medians of ${date}, [all figures](test/bench/RESULTS.md)).`;
}

/** Returns the README's benchmark figures; undefined if the README has no section for them. */
export function figuresIn(readme: string): string | undefined {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  return from < 0 || to < from ? undefined : readme.slice(from + BEGIN.length, to).trim();
}

/** Returns the README with the figures of these results. */
export function withFigures(readme: string, results: string): string {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  const figures = readmeFigures(results);
  const between = figures === '' ? '\n' : `\n${figures}\n`;
  return `${readme.slice(0, from + BEGIN.length)}${between}${readme.slice(to)}`;
}
