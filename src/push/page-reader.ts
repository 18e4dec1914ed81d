import { runInSlices } from '../slices.ts';
import type { PushedFamily, ShownSample } from './pushed-sample.ts';

const HEADER = /^# (HELP|TYPE) (\S+) (.*)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\.|[^"\\])*)"/g;
const HASH = 0x23;

/** A series of the page: what stands before its value. */
type ShownSeries = Pick<ShownSample, 'family' | 'labels'>;

/** What `/metrics` shows, by series: the text of its line up to the value. */
export type ShownSamples = ReadonlyMap<string, ShownSample>;

/** Reads the exporter's own `/metrics`, in the text format: whatever makes a page, what is pushed is what it shows. */
export class PageReader {
  readonly #wants: (family: string) => boolean;
  /** Those of the last page, so that each is read once. */
  #known: ReadonlyMap<string, ShownSeries> = new Map();

  /** @param wants tells of a family whether its lines are read; a page may have a hundred thousand of others */
  constructor(wants: (family: string) => boolean) {
    this.#wants = wants;
  }

  /** @param page in pieces of whole lines; one that begins with no header is of the family of the piece before it alone */
  async read(page: readonly Buffer[]): Promise<ShownSamples> {
    const reading = new Reading(this.#wants, this.#known);
    await runInSlices(reading.take(page));
    this.#known = reading.series;
    return reading.samples;
  }
}

/** The reading of one page. */
class Reading {
  readonly samples = new Map<string, ShownSample>();
  readonly series = new Map<string, ShownSeries>();
  readonly #wants: (family: string) => boolean;
  readonly #known: ReadonlyMap<string, ShownSeries>;
  #help = '';
  /** Whose lines come now; undefined where they are not wanted. */
  #family: PushedFamily | undefined;

  constructor(wants: (family: string) => boolean, known: ReadonlyMap<string, ShownSeries>) {
    this.#wants = wants;
    this.#known = known;
  }

  /** A piece a step. */
  *take(page: readonly Buffer[]): Generator<undefined, void> {
    for (const piece of page) {
      if (this.#family === undefined && piece[0] !== HASH) continue;
      for (const line of piece.toString('utf8').split('\n')) if (line !== '') this.#line(line);
      yield;
    }
  }

  #line(line: string): void {
    if (line.startsWith('#')) this.#header(line);
    else if (this.#family !== undefined) this.#sample(line, this.#family);
  }

  /** HELP stands before TYPE. */
  #header(line: string): void {
    const [, keyword, name = '', rest = ''] = HEADER.exec(line) ?? [];
    if (keyword === 'HELP') this.#help = unescaped(rest);
    else this.#family = this.#wants(name) ? familyOf(name, rest, this.#help) : undefined;
  }

  #sample(line: string, family: PushedFamily): void {
    const end = line.lastIndexOf(' ');
    const text = line.slice(0, end);
    const series = this.#known.get(text) ?? seriesOf(text, family);
    this.series.set(text, series);
    this.samples.set(text, { ...series, value: numberOf(line.slice(end + 1)) });
  }
}

function familyOf(name: string, type: string, help: string): PushedFamily {
  const known = (['counter', 'gauge', 'histogram', 'summary'] as const).find((one) => one === type);
  if (known === undefined) throw new TypeError(`${name} is of unknown type ${type}`);
  return { name, type: known, help };
}

/** Lines of histograms and summaries have names of their own, such as `…_bucket`. */
function seriesOf(text: string, family: PushedFamily): ShownSeries {
  const brace = text.indexOf('{');
  const name = brace < 0 ? text : text.slice(0, brace);
  const labels: Record<string, string> = {};
  if (brace >= 0) {
    for (const [, label = '', value = ''] of text.slice(brace).matchAll(LABEL))
      labels[label] = unescaped(value);
  }
  return { family: name === family.name ? family : { ...family, name }, labels };
}

function unescaped(text: string): string {
  return text.includes('\\')
    ? text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
    : text;
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
