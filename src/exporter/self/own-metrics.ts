import type { Labels } from '../catalogue/family.ts';
import { writeLabels } from '../exposition/label-text.ts';
import { makeSegment, type Segment } from '../exposition/segment.ts';
import {
  type ExpositionFormat,
  type FamilyMetadata,
  familyHeader,
  formatValue,
  type ShownSample,
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
  isShown: boolean;
  /**
   * Where it was shown first, and always is: writing goes on in later turns of the event loop, and one that is removed and shown
   * again meanwhile would be there twice in another place.
   */
  chunk: LineChunk | undefined;
}

/** So many lines are written anew when one of them has changed, and a piece of the document that is compressed anew. */
const LINES_IN_CHUNK = 64;

/** Consecutive lines of one family. */
interface LineChunk {
  readonly lines: Set<OwnLine>;
  /** As last written; undefined once one of them has changed. */
  text: string | undefined;
}

/** The labels that an account's lines have besides their own. */
type AddedLabels = (account: string) => Labels;

/** One family of the exporter's own metrics. Its lines are shown once they have a value. */
export class OwnFamily {
  readonly metadata: FamilyMetadata;
  /** In the order in which they are shown. One without lines has room for others. */
  readonly chunks: LineChunk[] = [];
  readonly #changed: () => void;
  readonly #labelsOf: AddedLabels;

  constructor(metadata: FamilyMetadata, changed: () => void, labelsOf: AddedLabels) {
    this.metadata = metadata;
    this.#changed = changed;
    this.#labelsOf = labelsOf;
  }

  /** Writes the labels of all lines anew: accounts have got others. */
  relabel(): void {
    for (const chunk of this.chunks) {
      for (const line of chunk.lines) this.#label(line);
      chunk.text = undefined;
    }
  }

  /** A line, not shown yet. A label with an empty value is to Prometheus the same as no label. */
  line(labels: Labels, suffix = ''): OwnLine {
    const name = this.metadata.name + suffix;
    const own = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
    const line = { name, own, labels: own, text: name, value: 0, isShown: false, chunk: undefined };
    this.#label(line);
    return line;
  }

  /** Which accounts have which labels may change while a line is not shown. */
  #label(line: OwnLine): void {
    line.labels = { ...this.#labelsOf(line.own['account'] ?? ''), ...line.own };
    line.text = line.name + writeLabels(Object.keys(line.labels), line.labels);
  }

  set(line: OwnLine, value: number): void {
    if (line.isShown && Object.is(line.value, value)) return;
    line.value = value;
    line.chunk ??= this.#roomyChunk();
    if (!line.isShown) {
      this.#label(line);
      line.chunk.lines.add(line);
      line.isShown = true;
    }
    line.chunk.text = undefined;
    this.#changed();
  }

  /** Adds to the value of a line, which begins at 0. */
  add(line: OwnLine, amount: number): void {
    this.set(line, line.isShown ? line.value + amount : amount);
  }

  remove(line: OwnLine): void {
    if (!line.isShown || line.chunk === undefined) return;
    line.chunk.lines.delete(line);
    line.chunk.text = undefined;
    line.isShown = false;
    this.#changed();
  }

  #roomyChunk(): LineChunk {
    const known = this.chunks.find(({ lines }) => lines.size < LINES_IN_CHUNK);
    const chunk = known ?? { lines: new Set(), text: undefined };
    if (known === undefined) this.chunks.push(chunk);
    return chunk;
  }
}

/** A part of the document: what it is written of, and as it is sent. */
interface Piece {
  readonly texts: readonly string[];
  readonly segment: Segment;
}

/** What was written at a version, or is being written. */
interface Written {
  readonly version: number;
  readonly segments: Promise<readonly Segment[]> | readonly Segment[];
}

/**
 * The exporter's own metrics and those of its process. Nothing is written while nobody asks: a scrape has written what has
 * changed since the one before, about 150 ns for each line and as much to compress it. To write all lines of 1,000 accounts with
 * each scrape quadruples the time that it takes.
 */
export class OwnMetrics {
  readonly #families: OwnFamily[] = [];
  /** Grows with each change of any family. */
  #version = 0;
  #isExcluded: (family: string) => boolean = () => false;
  #labelsOf: AddedLabels = () => ({});
  readonly #written = new Map<ExpositionFormat, Written>();
  /** As last written, by their first chunks. */
  readonly #pieces = { text: new WeakMap<LineChunk, Piece>(), openmetrics: new WeakMap<LineChunk, Piece>() };

  /** Adds a family. Each has a name of its own. */
  family(metadata: FamilyMetadata): OwnFamily {
    const changed = () => {
      this.#version += 1;
    };
    const family = new OwnFamily(metadata, changed, (account) => this.#labelsOf(account));
    this.#families.push(family);
    return family;
  }

  /** Adds labels to every line of an account from now on. */
  label(labelsOf: AddedLabels): void {
    this.#labelsOf = labelsOf;
    this.#version += 1;
    for (const family of this.#families) family.relabel();
  }

  /** Leaves these families out from now on. */
  exclude(isExcluded: (family: string) => boolean): void {
    this.#isExcluded = isExcluded;
    this.#version += 1;
  }

  /** All of them, to be part of a body. */
  segments(format: ExpositionFormat): Promise<readonly Segment[]> | readonly Segment[] {
    const version = this.#version;
    const known = this.#written.get(format);
    if (known?.version === version) return known.segments;
    const pieces: Segment[] = [];
    const segments = runInSlices(this.#write(format, pieces), () => true)?.then(() => pieces) ?? pieces;
    this.#written.set(format, { version, segments });
    return segments;
  }

  /** Puts the samples of the families that are wanted into a map, by the text of their lines, in small steps. */
  *collect(wants: (family: string) => boolean, into: Map<string, ShownSample>): Generator<undefined, void> {
    for (const { metadata, chunks } of this.#shown()) {
      if (!wants(metadata.name)) continue;
      for (const { lines } of chunks) {
        for (const { name, labels, text, value } of lines) {
          const family = name === metadata.name ? metadata : { ...metadata, name };
          into.set(text, { family, labels, value });
        }
        yield;
      }
    }
  }

  #shown(): readonly OwnFamily[] {
    return this.#families.filter(
      ({ metadata, chunks }) =>
        !this.#isExcluded(metadata.name) && chunks.some(({ lines }) => lines.size > 0),
    );
  }

  /** Small families share a piece, large ones have several of their own. */
  *#write(format: ExpositionFormat, pieces: Segment[]): Generator<undefined, void> {
    const known = this.#pieces[format];
    let [texts, count, first]: [string[], number, LineChunk | undefined] = [[], 0, undefined];
    const end = () => {
      if (first === undefined) return;
      const piece = pieceOf(texts, known.get(first));
      known.set(first, piece);
      pieces.push(piece.segment);
      [texts, count, first] = [[], 0, undefined];
    };
    for (const { metadata, chunks } of this.#shown()) {
      texts.push(familyHeader(metadata, format));
      for (const chunk of chunks) {
        if (chunk.lines.size === 0) continue;
        first ??= chunk;
        texts.push(textOf(chunk));
        count += chunk.lines.size;
        if (count < LINES_IN_CHUNK) continue;
        end();
        yield;
      }
    }
    end();
  }
}

/** A piece as it is now: that of before where nothing in it has changed. */
function pieceOf(texts: readonly string[], before: Piece | undefined): Piece {
  const isSame =
    texts.length === before?.texts.length && texts.every((text, at) => text === before.texts[at]);
  return isSame ? before : { texts, segment: makeSegment(texts.join('')) };
}

function textOf(chunk: LineChunk): string {
  if (chunk.text !== undefined) return chunk.text;
  let text = '';
  for (const line of chunk.lines) text += `${line.text} ${formatValue(line.value)}\n`;
  chunk.text = text;
  return text;
}
