import type { Family } from '../catalogue/family.ts';
import { Chunk, type Run } from './chunk.ts';
import { familyHeader } from './family-header.ts';
import type { ExpositionFormat } from './negotiate.ts';
import { makeSegment, type Segment } from './segment.ts';

/** At most so many lines in a run, so that an owner of very many series does not make one chunk of them all. */
const RUN_LINES = 100;
/** A value with its space and line end, about. */
const VALUE_SIZE = 10;

/** Everything shown of one family: its header in each format, and its lines in chunks that both formats share. */
export class FamilyLines {
  readonly name: string;
  readonly #headers: Readonly<Record<ExpositionFormat, Segment>>;
  /** The label text of every series shown, whoever owns it. */
  readonly #series = new Set<string>();
  readonly #chunks = new Set<Chunk>();
  /** Chunks with room for further runs. */
  readonly #roomy = new Set<Chunk>();
  /** Chunks to be rendered. */
  readonly #stale = new Set<Chunk>();

  constructor(family: Family) {
    this.name = family.name;
    this.#headers = {
      text: makeSegment(familyHeader(family, 'text')),
      openmetrics: makeSegment(familyHeader(family, 'openmetrics')),
    };
  }

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** Whether somebody shows the series. */
  has(text: string): boolean {
    return this.#series.has(text);
  }

  /** Takes a series for the caller; false when somebody shows it already. */
  claim(text: string): boolean {
    const before = this.#series.size;
    return this.#series.add(text).size > before;
  }

  /** Adds lines whose series have been claimed, a run a step. */
  *add(texts: readonly string[], values: readonly number[]): Generator<undefined, readonly Run[]> {
    const runs: Run[] = [];
    for (let from = 0; from < texts.length; from += RUN_LINES) {
      runs.push(this.#addRun(texts.slice(from, from + RUN_LINES), values.slice(from, from + RUN_LINES)));
      yield;
    }
    return runs;
  }

  #addRun(texts: readonly string[], values: readonly number[]): Run {
    const chunk = this.#roomyChunk();
    const size = texts.reduce((sum, text) => sum + text.length + this.name.length + VALUE_SIZE, 0);
    const run = { texts, values, size, chunk };
    chunk.add(run);
    if (chunk.isFull) this.#roomy.delete(chunk);
    this.#stale.add(chunk);
    return run;
  }

  #roomyChunk(): Chunk {
    const [roomy] = this.#roomy;
    if (roomy !== undefined) return roomy;
    const chunk = new Chunk(this.name);
    this.#chunks.add(chunk);
    this.#roomy.add(chunk);
    return chunk;
  }

  /** Gives the runs of an owner new values, in the order in which they were added, a run a step. */
  *update(runs: readonly Run[], values: readonly number[]): Generator<undefined, void> {
    let from = 0;
    for (const run of runs) {
      const next = values.slice(from, from + run.values.length);
      from += next.length;
      if (!run.values.every((value, line) => Object.is(value, next[line]))) {
        run.values = next;
        this.#stale.add(run.chunk);
      }
      yield;
    }
  }

  /** Removes a run and frees its series. */
  remove(run: Run): void {
    for (const text of run.texts) this.#series.delete(text);
    const { chunk } = run;
    chunk.delete(run);
    this.#stale.add(chunk);
    if (!chunk.isFull) this.#roomy.add(chunk);
    if (!chunk.isEmpty) return;
    for (const chunks of [this.#chunks, this.#roomy, this.#stale]) chunks.delete(chunk);
  }

  /** Renders what has changed since the last time, a chunk a step. */
  *render(): Generator<undefined, void> {
    for (const chunk of this.#stale) {
      chunk.render();
      yield;
    }
    this.#stale.clear();
  }

  /** The header and the lines, as last rendered. */
  segments(format: ExpositionFormat): readonly Segment[] {
    const lines = Array.from(this.#chunks, (chunk) => chunk.segment).filter(
      (segment) => segment !== undefined,
    );
    return [this.#headers[format], ...lines];
  }
}
