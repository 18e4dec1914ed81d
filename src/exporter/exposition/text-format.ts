import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { Family, Labels } from '../catalogue/family.ts';

const COUNTER_SUFFIX = '_total';

/** What the HELP and TYPE lines of a family need, the exporter's own histograms and summaries included. */
export interface FamilyMetadata extends Pick<Family, 'name' | 'help'> {
  readonly type: Family['type'] | 'histogram' | 'summary';
}

/** A sample with what is shown of it: its labels without empty ones, long values shortened. */
export interface ShownSample {
  /** For lines of histograms and summaries named with the suffix of the line. */
  readonly family: FamilyMetadata;
  readonly labels: Labels;
  readonly value: number;
}

/** OpenMetrics escapes quotes in HELP as it does in label values; the older format leaves them. */
function escapeHelp(help: string, format: ExpositionFormat): string {
  const escaped = help
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n');
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

/**
 * The HELP and TYPE lines of a family. To OpenMetrics a counter's family is named without the `_total` of its samples,
 * and a counter whose samples lack it is no counter, but of unknown type.
 */
export function familyHeader(family: FamilyMetadata, format: ExpositionFormat): string {
  let { name, type }: { name: string; type: string } = family;
  if (format === 'openmetrics' && type === 'counter') {
    if (name.endsWith(COUNTER_SUFFIX)) name = name.slice(0, -COUNTER_SUFFIX.length);
    else type = 'unknown';
  }
  return `# HELP ${name} ${escapeHelp(family.help, format)}\n# TYPE ${name} ${type}\n`;
}

const NEEDS_ESCAPE = /[\\"\n\ud800-\udfff]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/**
 * A label value as it stands between the quotes of a sample line. Any string gives valid UTF-8: a surrogate
 * without its partner, which UTF-8 cannot hold, becomes U+FFFD.
 */
export function escapeLabelValue(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  return value
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '');
}

/** The labels of a sample line, braces included, or nothing where there are none; `names` gives the order. */
export function writeLabels(names: readonly string[], labels: Labels): string {
  if (names.length === 0) return '';
  const pairs = names.map((name) => `${name}="${escapeLabelValue(labels[name] ?? '')}"`);
  // Joined rather than added up: a string built by `+` keeps its pieces, which costs twice the memory.
  return ['{', pairs.join(','), '}'].join('');
}

/** The longest value of a label, in UTF-16 units. Names of the platform are shorter; a mistake in one may not be. */
export const LONGEST_LABEL_VALUE = 1_024;

/** Labels as they are shown: without empty ones, values that are too long ending in an ellipsis; mostly the same object. */
export function shownLabels(labels: Labels): Labels {
  const pairs = Object.entries(labels);
  if (pairs.every(([, value]) => value !== '' && value.length <= LONGEST_LABEL_VALUE)) return labels;
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (value === '' ? [] : [[name, shortened(value)]])),
  );
}

function shortened(value: string): string {
  return value.length > LONGEST_LABEL_VALUE ? `${value.slice(0, LONGEST_LABEL_VALUE - 1)}…` : value;
}

/**
 * The text of labels. Equal texts mean equal series: all label sets of the same names are written in the order of the first.
 * Values that are too long end in an ellipsis.
 */
export class LabelTexts {
  /** By the names as given, and by the names sorted. Labels come in a few shapes, so both stay small. */
  readonly #orders = new Map<string, readonly string[]>();
  /** How many values were too long, and the first of each label, as it is shown. */
  shortenedCount = 0;
  readonly shortened = new Map<string, string>();

  of(labels: Labels): string {
    return writeLabels(this.#order(labels), this.#shortened(labels));
  }

  #shortened(labels: Labels): Labels {
    const tooLong = Object.entries(labels).filter(([, value]) => value.length > LONGEST_LABEL_VALUE);
    if (tooLong.length === 0) return labels;
    const shown = tooLong.map(([name, value]) => [name, shortened(value)] as const);
    this.shortenedCount += shown.length;
    for (const [name, value] of shown) if (!this.shortened.has(name)) this.shortened.set(name, value);
    return { ...labels, ...Object.fromEntries(shown) };
  }

  #order(labels: Labels): readonly string[] {
    // To Prometheus a label with an empty value is the same as no label.
    const names = Object.keys(labels).filter((name) => labels[name] !== '');
    const given = names.join(',');
    const known = this.#orders.get(given);
    if (known !== undefined) return known;
    const sorted = names.toSorted().join(',');
    const order = this.#orders.get(sorted) ?? names;
    this.#orders.set(sorted, order).set(given, order);
    return order;
  }
}

/**
 * A value as both exposition formats write it: the shortest decimal that reads back as the same number, `+Inf`, `-Inf`
 * or `NaN`. Negative zero is written as 0, since no reader of a metric means anything by its sign.
 */
export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/**
 * A number that is a label value (`le` of a histogram, `quantile` of a summary). OpenMetrics wants whole ones written
 * with `.0`; the older format gets the same, so that the series does not depend on which format a scrape agreed on.
 */
export function formatThreshold(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : formatValue(value);
}

/** The formats in which samples are exposed: Prometheus text 0.0.4 and OpenMetrics 1.0. */
export type ExpositionFormat = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

interface MediaRange {
  readonly type: string;
  readonly version: string | undefined;
  /** 0 to 1; 0 refuses. */
  readonly weight: number;
}

/** One element of an Accept header (RFC 9110, section 12.5.1). A weight that is no number counts as none given. */
function parseRange(element: string): MediaRange {
  const [type = '', ...pairs] = element.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(
    pairs.map((pair): [string, string] => {
      const [name = '', value = ''] = pair.split('=').map((side) => side.trim());
      return [name, value];
    }),
  );
  const weight = Number.parseFloat(parameters.get('q') ?? '1');
  return {
    type,
    version: parameters.get('version')?.replaceAll('"', ''),
    weight: Number.isNaN(weight) ? 1 : weight,
  };
}

/** The weight that the most specific of `types` gets, each matching any version or ours. */
function weightOf(ranges: readonly MediaRange[], types: readonly string[], version: string): number {
  for (const type of types) {
    const matching = ranges.filter(
      (range) => range.type === type && (range.version === undefined || range.version === version),
    );
    if (matching.length > 0) return Math.max(...matching.map((range) => range.weight));
  }
  return 0;
}

/**
 * The format to answer an Accept header with. OpenMetrics only for who names it and likes it no less than text, since
 * a browser's or curl's wildcard asks for something to read; text for everybody else: refusing would help nobody.
 */
export function negotiateFormat(accept: string | undefined): ExpositionFormat {
  const ranges = (accept ?? '').split(',').map(parseRange);
  const openmetrics = weightOf(ranges, ['application/openmetrics-text'], '1.0.0');
  const text = weightOf(ranges, ['text/plain', 'text/*', '*/*'], '0.0.4');
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text';
}

/** A piece of a body, ready to be sent as it is or as a piece of a gzip stream. It never changes. */
export interface Segment {
  /** The text, in pieces to be sent one after the other. */
  readonly identity: readonly Buffer[];
  /**
   * The same compressed: deflate blocks that end on a byte boundary and refer to nothing outside, so that segments can be
   * strung together.
   */
  readonly deflated: Buffer;
  /** CRC-32 of the text. */
  readonly crc: number;
  /** How the text shifts the CRC-32 of what stands before it. */
  readonly shift: number;
  /** Bytes of the text. */
  readonly length: number;
}

/**
 * Measured on sample lines in pieces of 16 KB: level 2 compresses as well as 3 and 4 % faster. Lines repeat those just
 * before them, so a window of 16 KB loses nothing, and spares the allocation of a quarter of a megabyte for each piece.
 * A compressed piece fits into 4 KB, or a few of them.
 */
const DEFLATE = {
  level: 2,
  windowBits: 14,
  memLevel: 7,
  chunkSize: 4 * 1024,
  finishFlush: constants.Z_FULL_FLUSH,
};

/** Magic, deflate, no flags, no time, no extra flags, unknown system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** A final deflate block without content. */
const LAST_BLOCK = [3, 0];

/** The CRC-32 polynomial, bits reversed. */
const POLYNOMIAL = 0xedb88320;
/** x^0, bits reversed: the highest bit stands for the lowest power. */
const ONE = 0x80000000;

/** x^(8 * 2^n) for n = 0, 1, 2, ...: the effect of 2^n bytes. */
const BYTE_POWERS = Array.from({ length: 48 }).reduce<number[]>((powers) => {
  const last = powers.at(-1);
  // x^8 is the ninth bit from the top.
  return [...powers, last === undefined ? ONE >>> 8 : multiply(last, last)];
}, []);

export const EMPTY_SEGMENT: Segment = {
  identity: [],
  deflated: Buffer.alloc(0),
  crc: 0,
  shift: ONE,
  length: 0,
};

/** Compresses a text. */
export function makeSegment(text: string): Segment {
  return segmentOf([Buffer.from(text)]);
}

/** Compresses a text that is given in pieces, which must stay as they are. */
export function segmentOf(pieces: readonly Buffer[]): Segment {
  const text = inOnePiece(pieces);
  if (text.length === 0) return EMPTY_SEGMENT;
  const deflated = deflateRawSync(text, DEFLATE);
  // A copy that holds no more memory than it shows: zlib returns the beginning of 4 KB, and small buffers share 8 KB.
  const own = Buffer.allocUnsafeSlow(deflated.length);
  deflated.copy(own);
  return {
    identity: pieces,
    deflated: own,
    crc: crc32(text),
    shift: crcShift(text.length),
    length: text.length,
  };
}

/** Segments in a row as one. Only the compressed bytes are copied. */
export function joinSegments(segments: readonly Segment[]): Segment {
  const [only] = segments;
  if (only !== undefined && segments.length === 1) return only;
  const identity: Buffer[] = [];
  const deflated: Buffer[] = [];
  let { crc, shift, length } = EMPTY_SEGMENT;
  for (const segment of segments) {
    identity.push(...segment.identity);
    deflated.push(segment.deflated);
    crc = combineCrc(crc, segment.crc, segment.shift);
    shift = multiply(shift, segment.shift);
    length += segment.length;
  }
  return { identity, deflated: Buffer.concat(deflated), crc, shift, length };
}

/** Smaller pieces (bytes) are copied together: each costs about as much to write as so many bytes to copy. */
const SMALL_PIECE = 8 * 1024;

/**
 * Segments in a row as one gzip member. The format allows one for each segment, but some clients read only the first.
 */
export function gzipMember(segments: readonly Segment[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let small: Buffer[] = [GZIP_HEADER];
  let { crc, length } = EMPTY_SEGMENT;
  for (const { deflated, crc: added, shift, length: more } of segments) {
    crc = combineCrc(crc, added, shift);
    length += more;
    if (deflated.length < SMALL_PIECE) {
      small.push(deflated);
      continue;
    }
    if (small.length > 0) pieces.push(Buffer.concat(small));
    pieces.push(deflated);
    small = [];
  }
  // The last block, the CRC-32 and the length modulo 2^32 of what was compressed.
  const trailer = Buffer.from([...LAST_BLOCK, 0, 0, 0, 0, 0, 0, 0, 0]);
  trailer.writeUInt32LE(crc, LAST_BLOCK.length);
  trailer.writeUInt32LE(length % 2 ** 32, LAST_BLOCK.length + 4);
  return [...pieces, Buffer.concat([...small, trailer])];
}

/** Buffer in which pieces are joined before compression; reused to spare the garbage collector. */
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** The bytes of all pieces, until the next call. */
function inOnePiece(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * length);
  let place = 0;
  for (const piece of pieces) place += piece.copy(scratch, place);
  return scratch.subarray(0, length);
}

/** a(x) * b(x) modulo the polynomial, bits reversed. Of signed integers, which is several times as fast. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b | 0;
  for (let rest = a | 0; rest !== 0; rest <<= 1) {
    product ^= shifted & (rest >> 31);
    shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
  }
  return product >>> 0;
}

/**
 * How appending `length` bytes shifts the CRC-32 of what stands before them, for `combineCrc`. Bodies are assembled more
 * often than their parts change, and a shift depends on the length only, so it is kept.
 */
export function crcShift(length: number): number {
  let shift = ONE;
  let rest = length;
  for (const power of BYTE_POWERS) {
    if (rest === 0) break;
    if (rest % 2 === 1) shift = multiply(shift, power);
    rest = Math.floor(rest / 2);
  }
  return shift;
}

/** The CRC-32 of two pieces of data in a row, from the CRC-32 of each and the shift of the second one's length. */
export function combineCrc(first: number, second: number, secondShift: number): number {
  return (multiply(secondShift, first) ^ second) >>> 0;
}
