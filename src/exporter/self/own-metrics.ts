import { makeSegment, type Segment } from '../exposition/segment.ts';
import { runInSlices } from '../exposition/slices.ts';
import {
  type ExpositionFormat,
  type FamilyMetadata,
  familyHeader,
  formatValue,
  type ShownSample,
} from '../exposition/text-format.ts';
import { type AddedLabels, LINES_IN_CHUNK, type LineChunk, OwnFamily } from './own-family.ts';

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
  /** How often labels and exclusions were changed, which is of all families. */
  #ownVersion = 0;
  #isExcluded: (family: string) => boolean = () => false;
  #labelsOf: AddedLabels = () => ({});
  readonly #written = new Map<ExpositionFormat, Written>();
  /** As last written, by their first chunks. */
  readonly #pieces = { text: new WeakMap<LineChunk, Piece>(), openmetrics: new WeakMap<LineChunk, Piece>() };

  /** Adds a family. Each has a name of its own. */
  family(metadata: FamilyMetadata): OwnFamily {
    const family = new OwnFamily(metadata, (account) => this.#labelsOf(account));
    this.#families.push(family);
    return family;
  }

  /** Adds labels to every line of an account from now on. */
  label(labelsOf: AddedLabels): void {
    this.#labelsOf = labelsOf;
    this.#ownVersion += 1;
    for (const family of this.#families) family.relabel();
  }

  /** Leaves these families out from now on. */
  exclude(isExcluded: (family: string) => boolean): void {
    this.#isExcluded = isExcluded;
    this.#ownVersion += 1;
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

  /** Grows with each change. */
  get #version(): number {
    return this.#families.reduce((sum, { version }) => sum + version, this.#ownVersion);
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
