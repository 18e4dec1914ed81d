import type { Labels } from '../catalogue/family.ts';
import {
  type ExpositionFormat,
  type FamilyMetadata,
  familyHeader,
  formatValue,
  type Segment,
  type ShownSample,
  segmentOf,
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
}

/** So many lines are a piece of the document, which is compressed anew when one of them has changed. */
const LINES_IN_PIECE = 64;

/** The labels that an account's lines have besides their own. */
type AddedLabels = (account: string) => Labels;

/** One family of the exporter's own metrics. Its lines are shown once they have a value. */
export class OwnFamily {
  readonly metadata: FamilyMetadata;
  /** Those that are shown, in their order. */
  readonly lines = new Set<OwnLine>();
  readonly #changed: () => void;
  readonly #labelsOf: AddedLabels;

  constructor(metadata: FamilyMetadata, changed: () => void, labelsOf: AddedLabels) {
    this.metadata = metadata;
    this.#changed = changed;
    this.#labelsOf = labelsOf;
  }

  /** A line, not shown yet. A label with an empty value is to Prometheus the same as no label. */
  line(labels: Labels, suffix = ''): OwnLine {
    const name = this.metadata.name + suffix;
    const own = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
    const line = { name, own, labels: own, text: name, value: 0 };
    this.label(line);
    return line;
  }

  /** Writes the labels of a line anew: its account may have got others. */
  label(line: OwnLine): void {
    line.labels = { ...this.#labelsOf(line.own['account'] ?? ''), ...line.own };
    line.text = line.name + writeLabels(Object.keys(line.labels), line.labels);
  }

  set(line: OwnLine, value: number): void {
    if (!this.lines.has(line)) {
      // Which accounts have which labels may have changed while it was not shown.
      this.label(line);
      this.lines.add(line);
    } else if (Object.is(line.value, value)) return;
    line.value = value;
    this.#changed();
  }

  /** Adds to the value of a line, which begins at 0. */
  add(line: OwnLine, amount: number): void {
    this.set(line, this.lines.has(line) ? line.value + amount : amount);
  }

  remove(line: OwnLine): void {
    if (this.lines.delete(line)) this.#changed();
  }
}

/** What was written at a version, or is being written. */
interface Written {
  readonly version: number;
  readonly segments: Promise<readonly Segment[]> | readonly Segment[];
}

/**
 * The exporter's own metrics and those of its process. Nothing is written while nobody asks: a scrape after a change has all of
 * them written, about 150 ns for each line, and as much to compress those pieces that differ from before.
 */
export class OwnMetrics {
  readonly #families: OwnFamily[] = [];
  /** Grows with each change of any family. */
  #version = 0;
  #isExcluded: (family: string) => boolean = () => false;
  #labelsOf: AddedLabels = () => ({});
  readonly #written = new Map<ExpositionFormat, Written>();
  /** The pieces as last written in each format. */
  readonly #pieces = new Map<ExpositionFormat, readonly Segment[]>();

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
    for (const family of this.#families) for (const line of family.lines) family.label(line);
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
    const written = () => {
      this.#pieces.set(format, pieces);
      return pieces;
    };
    const segments = runInSlices(this.#write(format, pieces), () => true)?.then(written) ?? written();
    this.#written.set(format, { version, segments });
    return segments;
  }

  /** Puts the samples of the families that are wanted into a map, by the text of their lines, in small steps. */
  *collect(wants: (family: string) => boolean, into: Map<string, ShownSample>): Generator<undefined, void> {
    for (const { metadata, lines } of this.#shown()) {
      if (!wants(metadata.name)) continue;
      let count = 0;
      for (const { name, labels, text, value } of lines) {
        into.set(text, { family: name === metadata.name ? metadata : { ...metadata, name }, labels, value });
        count += 1;
        if (count % LINES_IN_PIECE === 0) yield;
      }
      yield;
    }
  }

  #shown(): readonly OwnFamily[] {
    return this.#families.filter(({ metadata, lines }) => lines.size > 0 && !this.#isExcluded(metadata.name));
  }

  /** Small families share a piece, large ones have several of their own; what reads as before is not compressed again. */
  *#write(format: ExpositionFormat, pieces: Segment[]): Generator<undefined, void> {
    const before = this.#pieces.get(format);
    let [text, count] = ['', 0];
    const end = () => {
      if (count > 0) pieces.push(pieceOf(text, before?.[pieces.length]));
      [text, count] = ['', 0];
    };
    for (const { metadata, lines } of this.#shown()) {
      if (count + lines.size > LINES_IN_PIECE) end();
      text += familyHeader(metadata, format);
      // As they are now: one that is removed meanwhile and shown again comes last in the family, and would be there twice.
      for (const line of [...lines]) {
        text += `${line.text} ${formatValue(line.value)}\n`;
        count += 1;
        if (count < LINES_IN_PIECE) continue;
        end();
        yield;
      }
    }
    end();
  }
}

function pieceOf(text: string, before: Segment | undefined): Segment {
  const bytes = Buffer.from(text);
  return before?.identity[0]?.equals(bytes) ? before : segmentOf([bytes]);
}
