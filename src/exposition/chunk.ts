import { formatValue } from './sample-value.ts';
import { makeSegment, type Segment } from './segment.ts';

/** The lines that one owner shows of one family, or a part of them where there are many. Always rendered together. */
export interface Run {
  /** The label texts, one a line. */
  readonly texts: readonly string[];
  values: readonly number[];
  /** About how many bytes the lines take. */
  readonly size: number;
  /** Where the run stands. */
  readonly chunk: Chunk;
}

/**
 * From this size (bytes) on a chunk takes no further runs. Smaller chunks make a poll cheaper, which renders and
 * compresses every chunk that it touches; larger ones compress a little better and make a scrape's body of fewer pieces.
 */
const FULL_SIZE = 48 * 1024;

/** Consecutive lines of one family, the runs of several owners: the unit in which a page is rendered anew. */
export class Chunk {
  readonly #name: string;
  readonly #runs = new Set<Run>();
  #size = 0;
  #segment: Segment | undefined;

  /** @param name of the family, as on a sample line */
  constructor(name: string) {
    this.#name = name;
  }

  /** The lines as they were when last rendered; undefined before. */
  get segment(): Segment | undefined {
    return this.#segment;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  get isFull(): boolean {
    return this.#size >= FULL_SIZE;
  }

  add(run: Run): void {
    this.#runs.add(run);
    this.#size += run.size;
  }

  delete(run: Run): void {
    if (this.#runs.delete(run)) this.#size -= run.size;
  }

  render(): void {
    let text = '';
    for (const { texts, values } of this.#runs) {
      for (let line = 0; line < texts.length; line++) {
        text += `${this.#name}${texts[line]} ${formatValue(values[line] ?? Number.NaN)}\n`;
      }
    }
    this.#segment = makeSegment(text);
  }
}
