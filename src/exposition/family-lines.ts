import { Chunk, ChunkGroup } from './chunk.ts';
import { type FamilyMetadata, familyHeader } from './family-header.ts';
import type { ExpositionFormat } from './negotiate.ts';
import { makeSegment, type Segment } from './segment.ts';
import type { SeriesTable } from './series-table.ts';

/** Everything shown of one family: its header in each format, and its lines in chunks that both formats share. */
export class FamilyLines {
  readonly name: string;
  readonly #table: SeriesTable<Chunk<FamilyLines>>;
  readonly #headers: Readonly<Record<ExpositionFormat, Segment>>;
  /** The number of every series shown, by label text. */
  readonly #series = new Map<string, number>();
  readonly #groups = new Set<ChunkGroup>();
  /** Chunks with room for further lines. */
  readonly #roomy = new Set<Chunk<FamilyLines>>();
  /** Chunks to be rendered. */
  readonly #stale = new Set<Chunk<FamilyLines>>();
  /** Header and lines as last rendered, until something changes. */
  #pages: Readonly<Record<ExpositionFormat, readonly Segment[]>> | undefined;

  constructor(family: FamilyMetadata, table: SeriesTable<Chunk<FamilyLines>>) {
    this.name = family.name;
    this.#table = table;
    this.#headers = {
      text: makeSegment(familyHeader(family, 'text')),
      openmetrics: makeSegment(familyHeader(family, 'openmetrics')),
    };
  }

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** Whether something was rendered, or went, since its segments were last asked for. */
  get isChanged(): boolean {
    return this.#pages === undefined;
  }

  /** The number of the series with this label text, if it is shown. */
  find(text: string): number | undefined {
    return this.#series.get(text);
  }

  /** Adds a series that is not shown yet. `text` is what follows the family's name on its line, up to the value. */
  add(text: string, value: number): number {
    const chunk = this.#roomyChunk();
    const series = this.#table.add(text, value, chunk);
    this.#series.set(text, series);
    chunk.add(series, text);
    if (chunk.isFull) this.#roomy.delete(chunk);
    this.#stale.add(chunk);
    return series;
  }

  #roomyChunk(): Chunk<FamilyLines> {
    const [roomy] = this.#roomy;
    if (roomy !== undefined) return roomy;
    const chunk = new Chunk<FamilyLines>(this, this.#roomyGroup());
    chunk.group.add(chunk);
    this.#roomy.add(chunk);
    return chunk;
  }

  #roomyGroup(): ChunkGroup {
    for (const group of this.#groups) if (!group.isFull) return group;
    const group = new ChunkGroup();
    this.#groups.add(group);
    return group;
  }

  /** Gives a series of this family a value; whether it had another. */
  change(series: number, value: number): boolean {
    const chunk = this.#table.chunkOf(series);
    if (chunk === undefined || !this.#table.change(series, value)) return false;
    this.#stale.add(chunk);
    return true;
  }

  remove(series: number): void {
    const chunk = this.#table.chunkOf(series);
    if (chunk === undefined) return;
    const text = this.#table.textOf(series);
    this.#series.delete(text);
    this.#table.delete(series);
    chunk.delete(series, text);
    this.#stale.add(chunk);
    if (!chunk.isFull) this.#roomy.add(chunk);
    if (!chunk.isEmpty) return;
    for (const chunks of [this.#roomy, this.#stale]) chunks.delete(chunk);
    chunk.group.delete(chunk);
    if (chunk.group.isEmpty) this.#groups.delete(chunk.group);
    this.#pages = undefined;
  }

  /** Renders what has changed since the last time, a chunk a step. What changes meanwhile is rendered as well. */
  *render(): Generator<undefined, void> {
    for (const chunk of this.#stale) {
      this.#stale.delete(chunk);
      chunk.render(this.#table);
      this.#pages = undefined;
      yield;
    }
  }

  /** The header and the lines, as last rendered. */
  segments(format: ExpositionFormat): readonly Segment[] {
    this.#pages ??= this.#makePages();
    return this.#pages[format];
  }

  #makePages() {
    const lines = Array.from(this.#groups, (group) => group.segment);
    return {
      text: [this.#headers.text, ...lines],
      openmetrics: [this.#headers.openmetrics, ...lines],
    };
  }
}
