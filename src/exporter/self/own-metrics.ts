import type { Labels } from '../catalogue/family.ts';
import {
  type ExpositionFormat,
  type FamilyMetadata,
  familyHeader,
  formatValue,
  makeSegment,
  type Segment,
  type ShownSample,
  writeLabels,
} from '../exposition/text-format.ts';
import { runInSlices } from '../slices.ts';

/** A series of the exporter's own: one line of its family. */
export interface OwnLine {
  /** The family's name, for histograms and summaries with the suffix of the line. */
  readonly name: string;
  /** Its own labels. */
  readonly own: Labels;
  /** The same with those of its account, as they are shown. */
  labels: Labels;
  /** What stands before the value. */
  text: string;
  value: number;
  /** Where it is shown; undefined while it is not. */
  chunk: LineChunk | undefined;
}

/** So many lines are a piece of the document, which is written and compressed anew when one of them has changed. */
const LINES_IN_PIECE = 64;

/** Consecutive lines of one family: at most a piece. */
interface LineChunk {
  readonly lines: Set<OwnLine>;
  /** Grows with each change. */
  version: number;
  /** The piece that it begins, as last written in each format. */
  readonly pieces: Map<ExpositionFormat, WrittenPiece>;
}

/** A part of the document: some chunks, as they were at these versions. */
interface WrittenPiece {
  readonly chunks: readonly LineChunk[];
  readonly versions: readonly number[];
  readonly segment: Segment;
}

/** The labels that an account's lines have besides their own. */
export type AddedLabels = (account: string) => Labels;

/** Grows with each change of any family. */
interface Changes {
  count: number;
}

/** One family of the exporter's own metrics. Its lines are shown once they have a value. */
export class OwnFamily {
  readonly metadata: FamilyMetadata;
  /** In the order in which they are shown. One without lines has room for others. */
  readonly chunks: LineChunk[] = [];
  readonly #changes: Changes;
  readonly #labelsOf: AddedLabels;

  constructor(metadata: FamilyMetadata, changes: Changes, labelsOf: AddedLabels) {
    this.metadata = metadata;
    this.#changes = changes;
    this.#labelsOf = labelsOf;
  }

  /** Writes the labels of all lines anew: accounts have got others. */
  relabel(): void {
    for (const chunk of this.chunks) {
      for (const line of chunk.lines) this.#label(line);
      chunk.version += 1;
    }
  }

  /** A line, not shown yet. A label with an empty value is to Prometheus the same as no label. */
  line(labels: Labels, suffix = ''): OwnLine {
    const name = this.metadata.name + suffix;
    const written = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
    const line = { name, own: written, labels: written, text: name, value: 0, chunk: undefined };
    this.#label(line);
    return line;
  }

  /** Which accounts have which labels may change while a line is not shown. */
  #label(line: OwnLine): void {
    line.labels = { ...this.#labelsOf(line.own['account'] ?? ''), ...line.own };
    line.text = line.name + writeLabels(Object.keys(line.labels), line.labels);
  }

  set(line: OwnLine, value: number): void {
    if (line.chunk !== undefined && Object.is(line.value, value)) return;
    line.value = value;
    line.chunk ??= this.#place(line);
    line.chunk.version += 1;
    this.#changes.count += 1;
  }

  /** Adds to the value of a line, which begins at 0. */
  add(line: OwnLine, amount: number): void {
    this.set(line, line.chunk === undefined ? amount : line.value + amount);
  }

  remove(line: OwnLine): void {
    if (line.chunk === undefined) return;
    line.chunk.lines.delete(line);
    line.chunk.version += 1;
    line.chunk = undefined;
    this.#changes.count += 1;
  }

  #place(line: OwnLine): LineChunk {
    const roomy = this.chunks.find(({ lines }) => lines.size < LINES_IN_PIECE);
    const chunk = roomy ?? { lines: new Set(), version: 0, pieces: new Map() };
    if (roomy === undefined) this.chunks.push(chunk);
    this.#label(line);
    chunk.lines.add(line);
    return chunk;
  }
}

/** Chunks to be written together, each with the family that begins with it. */
type PieceChunks = [OwnFamily | undefined, LineChunk][];

/**
 * The exporter's own metrics and those of its process. Nothing is written while nobody asks: a scrape has written what has
 * changed since the one before, about 150 ns for each line and as much to compress it.
 */
export class OwnMetrics {
  readonly #families: OwnFamily[] = [];
  readonly #changes: Changes = { count: 0 };
  #isExcluded: (family: string) => boolean = () => false;
  #labelsOf: AddedLabels = () => ({});
  readonly #written = new Map<ExpositionFormat, Written>();

  /** Adds a family. Each has a name of its own. */
  family(metadata: FamilyMetadata): OwnFamily {
    const family = new OwnFamily(metadata, this.#changes, (account) => this.#labelsOf(account));
    this.#families.push(family);
    return family;
  }

  /** Adds labels to every line of an account from now on. */
  label(labelsOf: AddedLabels): void {
    this.#labelsOf = labelsOf;
    this.#changes.count += 1;
    for (const family of this.#families) family.relabel();
  }

  /** Leaves these families out from now on. */
  exclude(isExcluded: (family: string) => boolean): void {
    this.#isExcluded = isExcluded;
    this.#changes.count += 1;
  }

  /** All of them, to be part of a body. */
  segments(format: ExpositionFormat): Promise<readonly Segment[]> | readonly Segment[] {
    const known = this.#written.get(format);
    if (known?.version === this.#changes.count) return known.segments;
    const segments: Segment[] = [];
    const done = runInSlices(this.#write(format, segments), () => true)?.then(() => segments) ?? segments;
    this.#written.set(format, { version: this.#changes.count, segments: done });
    return done;
  }

  /** Puts the samples of the families that are wanted into a map, by the text of their lines, in small steps. */
  *collect(wants: (family: string) => boolean, into: Map<string, ShownSample>): Generator<undefined, void> {
    for (const { metadata, chunks } of this.#families) {
      if (!wants(metadata.name) || this.#isExcluded(metadata.name)) continue;
      for (const chunk of chunks) {
        for (const { name, labels, text, value } of chunk.lines) {
          into.set(text, {
            family: name === metadata.name ? metadata : { ...metadata, name },
            labels,
            value,
          });
        }
        yield;
      }
    }
  }

  *#write(format: ExpositionFormat, segments: Segment[]): Generator<undefined, void> {
    for (const chunks of this.#inPieces()) {
      segments.push(segmentOf(chunks, format));
      yield;
    }
  }

  /** Everything that is shown: small families share a piece, large ones have several. */
  *#inPieces(): Generator<PieceChunks, void> {
    let piece: PieceChunks = [];
    let count = 0;
    for (const family of this.#families) {
      if (this.#isExcluded(family.metadata.name)) continue;
      let begins: OwnFamily | undefined = family;
      for (const chunk of family.chunks) {
        if (chunk.lines.size === 0) continue;
        piece.push([begins, chunk]);
        begins = undefined;
        count += chunk.lines.size;
        if (count < LINES_IN_PIECE) continue;
        yield piece;
        piece = [];
        count = 0;
      }
    }
    if (piece.length > 0) yield piece;
  }
}

/** What was written at a version, or is being written. */
interface Written {
  readonly version: number;
  readonly segments: Promise<readonly Segment[]> | readonly Segment[];
}

/** A piece as it is now: that of before where nothing in it has changed. */
function segmentOf(parts: PieceChunks, format: ExpositionFormat): Segment {
  const first = parts[0]?.[1].pieces;
  const known = first?.get(format);
  const isKnown =
    known?.chunks.length === parts.length &&
    parts.every(([, chunk], at) => chunk === known.chunks[at] && chunk.version === known.versions[at]);
  if (isKnown) return known.segment;
  const chunks = parts.map(([, chunk]) => chunk);
  const segment = makeSegment(parts.map((part) => textOf(part, format)).join(''));
  first?.set(format, { chunks, versions: chunks.map(({ version }) => version), segment });
  return segment;
}

function textOf([family, { lines }]: PieceChunks[number], format: ExpositionFormat): string {
  let text = family === undefined ? '' : familyHeader(family.metadata, format);
  for (const line of lines) text += `${line.text} ${formatValue(line.value)}\n`;
  return text;
}
