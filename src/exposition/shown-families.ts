import { Chunk } from './chunk.ts';
import { ChunkRow, RowGroup } from './chunk-row.ts';
import { type FamilyMetadata, familyHeader } from './family-header.ts';
import type { ExpositionFormat } from './negotiate.ts';
import { makeSegment, type Page, type Segment } from './segment.ts';
import { SeriesTable } from './series-table.ts';

/**
 * From which size (bytes) on a chunk takes no further lines. A poll writes every chunk anew in which it changes a line, and the
 * memory of the former one waits until it is collected.
 */
const FULL_SIZE = 8 * 1024;

/**
 * How many chunks are compressed together. Few make a poll cheaper, which compresses every row that it touches; many compress
 * better: of 16 KB, a body is a quarter larger than of 32. Most of a body are a few large families; of all others a poll
 * changes a line or two.
 */
const CHUNKS_IN_ROW = 4;
/** So many chunks of each family are compressed by themselves. */
const SINGLE_CHUNKS = 32;

/** Everything shown of one family: its header in each format, and its lines in chunks that both formats share. */
export class FamilyLines {
  readonly name: string;
  readonly #table: SeriesTable<Chunk<FamilyLines>>;
  readonly #headers: Readonly<Record<ExpositionFormat, Segment>>;
  /** How many series are shown. */
  #count = 0;
  readonly #groups = new Set<RowGroup>();
  /** The row that takes further chunks, if one has room. */
  #roomyRow: ChunkRow | undefined;
  #chunkCount = 0;
  /** Chunks with room for further lines. */
  readonly #roomy = new Set<Chunk<FamilyLines>>();
  /** Chunks to be rendered. */
  readonly #stale = new Set<Chunk<FamilyLines>>();
  /** Rows to be compressed. */
  readonly #staleRows = new Set<ChunkRow>();
  /** Header and lines as last rendered, until something changes. */
  #page: Page | undefined;

  constructor(family: FamilyMetadata, table: SeriesTable<Chunk<FamilyLines>>) {
    this.name = family.name;
    this.#table = table;
    this.#headers = {
      text: makeSegment(familyHeader(family, 'text')),
      openmetrics: makeSegment(familyHeader(family, 'openmetrics')),
    };
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Whether something was rendered, or went, since its page was last asked for. */
  get isChanged(): boolean {
    return this.#page === undefined;
  }

  /** The number of the series with this label text, if it is shown. */
  find(text: string): number | undefined {
    return this.#table.find(this, text);
  }

  /** Adds a series that is not shown yet. `text` is what follows the family's name on its line, up to the value. */
  add(text: string, value: number): number {
    const chunk = this.#roomyChunk();
    const series = this.#table.add(text, value, chunk);
    this.#count += 1;
    chunk.add(series, this.#table.lengthOf(series));
    if (chunk.isFull) this.#roomy.delete(chunk);
    this.#stale.add(chunk);
    return series;
  }

  #roomyChunk(): Chunk<FamilyLines> {
    const [roomy] = this.#roomy;
    if (roomy !== undefined) return roomy;
    this.#roomyRow ??= new ChunkRow(this.#roomyGroup(), this.#chunkCount < SINGLE_CHUNKS ? 1 : CHUNKS_IN_ROW);
    const row = this.#roomyRow;
    const chunk = new Chunk<FamilyLines>(this, row, FULL_SIZE);
    this.#chunkCount += 1;
    row.add(chunk);
    if (row.isFull) this.#roomyRow = undefined;
    this.#roomy.add(chunk);
    return chunk;
  }

  #roomyGroup(): RowGroup {
    for (const group of this.#groups) if (!group.isFull) return group;
    const group = new RowGroup();
    this.#groups.add(group);
    return group;
  }

  /** Gives a series of this family a value; whether it had another. */
  change(series: number, value: number): boolean {
    const chunk = this.#table.chunkOf(series);
    if (chunk === undefined || !this.#table.change(series, value)) return false;
    chunk.change(series);
    this.#stale.add(chunk);
    return true;
  }

  remove(series: number): void {
    const chunk = this.#table.chunkOf(series);
    if (chunk === undefined) return;
    this.#count -= 1;
    chunk.delete(series, this.#table.lengthOf(series));
    this.#table.delete(series);
    this.#stale.add(chunk);
    if (!chunk.isFull) this.#roomy.add(chunk);
    if (!chunk.isEmpty) return;
    for (const chunks of [this.#roomy, this.#stale]) chunks.delete(chunk);
    this.#chunkCount -= 1;
    const { row } = chunk;
    row.delete(chunk);
    this.#page = undefined;
    if (!row.isEmpty) return void this.#staleRows.add(row);
    this.#staleRows.delete(row);
    if (this.#roomyRow === row) this.#roomyRow = undefined;
    if (row.group.isEmpty) this.#groups.delete(row.group);
  }

  /** Renders what has changed since the last time, a chunk or a row a step, and perhaps what changes meanwhile. */
  *render(): Generator<undefined, void> {
    for (const chunk of this.#stale) {
      this.#stale.delete(chunk);
      chunk.render(this.#table);
      this.#staleRows.add(chunk.row);
      this.#page = undefined;
      yield;
    }
    for (const row of this.#staleRows) {
      this.#staleRows.delete(row);
      row.segment();
      yield;
    }
  }

  /** The header and the lines, as last rendered. */
  get page(): Page {
    this.#page ??= this.#makePage();
    return this.#page;
  }

  #makePage(): Page {
    const lines = Array.from(this.#groups, (group) => group.segment());
    return {
      text: [this.#headers.text, ...lines],
      openmetrics: [this.#headers.openmetrics, ...lines],
    };
  }
}

/** Families that have series, and their pages: by name, as last rendered. */
export class Families {
  readonly table = new SeriesTable<Chunk<FamilyLines>>();
  readonly #families = new Map<string, FamilyLines>();
  #pages: readonly Page[] = [];
  /** Whether families came or went since the pages were made. */
  #isChanged = false;

  /** The lines of a family; of a name that is known already, whatever else `family` says. */
  of(family: FamilyMetadata): FamilyLines {
    const known = this.#families.get(family.name);
    if (known !== undefined) return known;
    const lines = new FamilyLines(family, this.table);
    this.#families.set(family.name, lines);
    this.#isChanged = true;
    return lines;
  }

  /** The lines of a family, if it has series. */
  find({ name }: Pick<FamilyMetadata, 'name'>): FamilyLines | undefined {
    return this.#families.get(name);
  }

  /** Forgets a family that has no series any more. */
  release(family: FamilyLines): void {
    if (family.isEmpty && this.#families.delete(family.name)) this.#isChanged = true;
  }

  /** Renders what has changed, in small steps, and then makes the pages anew. */
  *render(): Generator<undefined, void> {
    for (const family of this.#families.values()) yield* family.render();
    const families = [...this.#families.values()];
    if (!this.#isChanged && !families.some((family) => family.isChanged)) return;
    const sorted = families.filter(({ isEmpty }) => !isEmpty).sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#pages = sorted.map(({ page }) => page);
    this.#isChanged = false;
  }

  /** Everything as last rendered. */
  pages(): readonly Page[] {
    return this.#pages;
  }
}
