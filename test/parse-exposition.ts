/** Parsed exposition. */
export interface ParsedExposition {
  readonly types: ReadonlyMap<string, string>;
  readonly helps: ReadonlyMap<string, string>;
  /**
   * Values by series. A key is a JSON array of the sample's name and its non-empty labels, sorted by name.
   */
  readonly samples: ReadonlyMap<string, number>;
}

const COMMENT = /^# (HELP|TYPE) (\S+) (.*)$/s;
const SERIES = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?$/s;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\.|[^\\"\n])*)"(,|$)/gsy;

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}

function parseLabels(text: string): [string, string][] {
  const labels: [string, string][] = [];
  let end = 0;
  LABEL.lastIndex = 0;
  for (const match of text.matchAll(LABEL)) {
    labels.push([match[1] ?? '', unescaped(match[2] ?? '')]);
    end = match.index + match[0].length;
  }
  if (end !== text.length) throw new Error(`labels out of form: ${text}`);
  return labels;
}

const SPECIAL: Readonly<Record<string, number>> = {
  '+Inf': Infinity,
  '-Inf': -Infinity,
  NaN: Number.NaN,
  Nan: Number.NaN,
};

function parseNumber(text: string): number {
  const value = SPECIAL[text] ?? Number(text);
  if (/^$|\s/.test(text) || (Number.isNaN(value) && !/^nan$/i.test(text)))
    throw new Error(`not a number: ${text}`);
  return value;
}

/** Returns the key of a series in `ParsedExposition.samples`. */
export function seriesKey(
  name: string,
  labels: Readonly<Record<string, string | number | undefined>>,
): string {
  const pairs = Object.entries(labels).map(([label, value]) => [label, String(value)] as const);
  return JSON.stringify([
    name,
    pairs.filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

const knownKeys = new Map<string, string>();

function keyOfWritten(series: string): string {
  const known = knownKeys.get(series);
  if (known !== undefined) return known;
  const [, name, labels = ''] = SERIES.exec(series) ?? [];
  if (name === undefined) throw new Error(`not a series: ${series}`);
  const key = seriesKey(name, Object.fromEntries(parseLabels(labels)));
  if (knownKeys.size > 100_000) knownKeys.clear();
  // The key is copied, because a part of a string would keep the whole string in memory.
  knownKeys.set(Buffer.from(series).toString(), key);
  return key;
}

function add<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.has(key)) throw new Error(`met twice: ${key}`);
  map.set(key, value);
}

/**
 * Parses a document of either format. Fails for anything that Prometheus rejects, such as bad lines and
 * repeated series.
 */
export function parseExposition(text: string): ParsedExposition {
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  const samples = new Map<string, number>();
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.split('\n').filter((candidate) => candidate !== '' && candidate !== '# EOF')) {
    const [, comment, family = '', rest = ''] = (line.startsWith('#') && COMMENT.exec(line)) || [];
    const space = line.lastIndexOf(' ');
    if (comment === 'HELP') add(helps, family, unescaped(rest));
    else if (comment === 'TYPE') add(types, family, rest);
    else if (space < 0) throw new Error(`not a sample: ${line}`);
    else add(samples, keyOfWritten(line.slice(0, space)), parseNumber(line.slice(space + 1)));
  }
  return { types, helps, samples };
}
