import type { Labels } from '../catalogue/family.ts';
import { writeLabels } from '../exposition/label-text.ts';
import type { FamilyMetadata } from '../exposition/text-format.ts';

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
export const LINES_IN_CHUNK = 64;

/** Consecutive lines of one family. */
export interface LineChunk {
  readonly lines: Set<OwnLine>;
  /** As last written; undefined once one of them has changed. */
  text: string | undefined;
}

/** The labels that an account's lines have besides their own. */
export type AddedLabels = (account: string) => Labels;

/** One family of the exporter's own metrics. Its lines are shown once they have a value. */
export class OwnFamily {
  readonly metadata: FamilyMetadata;
  /** In the order in which they are shown. One without lines has room for others. */
  readonly chunks: LineChunk[] = [];
  /** How many changes there have been. */
  version = 0;
  readonly #labelsOf: AddedLabels;

  constructor(metadata: FamilyMetadata, labelsOf: AddedLabels) {
    this.metadata = metadata;
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
    this.version += 1;
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
    this.version += 1;
  }

  #roomyChunk(): LineChunk {
    const known = this.chunks.find(({ lines }) => lines.size < LINES_IN_CHUNK);
    const chunk = known ?? { lines: new Set(), text: undefined };
    if (known === undefined) this.chunks.push(chunk);
    return chunk;
  }
}
