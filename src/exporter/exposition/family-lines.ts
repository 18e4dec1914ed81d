import { joinSegments, makeSegment, type Segment, segmentOf } from './segment.ts';
import { type LineHolder, SeriesTable } from './series-table.ts';
import { type ExpositionFormat, type FamilyMetadata, familyHeader, formatValue } from './text-format.ts';

/** Size (bytes) from which a chunk accepts no more lines. A poll rewrites every chunk in which it changes a line. */
const FULL_SIZE = 8 * 1024;
/** Approximate size (bytes) of a value with its space and line end. */
const VALUE_SIZE = 10;

/**
 * Number of chunks that are compressed together, as a row. Fewer make a poll cheaper, because it compresses every row that it
 * changes. More compress better: rows of 16 KB make a body a quarter larger than rows of 32.
 */
const CHUNKS_IN_ROW = 4;
/** Number of first chunks of a family that are rows by themselves, because a poll changes a line or two in most families. */
const SINGLE_CHUNKS = 32;
/** Number of rows that are joined as a group, so that a body has few pieces. A change copies the group's compressed bytes. */
const ROWS_IN_GROUP = 16;

const NOTHING = Buffer.alloc(0);

/** Segments that form a row, in each format. */
export type Page = Readonly<Record<ExpositionFormat, readonly Segment[]>>;

type Table = SeriesTable<Chunk>;

/** Consecutive lines of one family: the unit of rendering. */
class Chunk implements LineHolder {
  readonly family: FamilyLines;
  /** Position in its family. */
  readonly index: number;
  readonly series: number[] = [];
  /** Approximate size (bytes) of its lines. */
  size = 0;
  /** Last rendered lines, in a new buffer each time. */
  bytes: Buffer = NOTHING;

  constructor(family: FamilyLines, index: number) {
    this.family = family;
    this.index = index;
  }

  /** Renders the stale lines, and copies the others from the last rendering. */
  render({ starts, lengths, values, isStale, texts }: Table): void {
    const { name } = this.family;
    // latin1: one character per byte, so that offsets are the same in both.
    const before = this.bytes.toString('latin1');
    let text = '';
    /** Start of the lines to copy. */
    let copied = NOT_COPIED;
    for (const series of this.series) {
      const added = texts.get(series);
      const start = added === undefined ? (starts[series] ?? 0) - name.length : before.length;
      if (isStale[series] === 0) {
        if (copied === NOT_COPIED) copied = start;
        starts[series] = text.length + start - copied + name.length;
        continue;
      }
      if (copied !== NOT_COPIED) text += before.slice(copied, start);
      copied = NOT_COPIED;
      const head =
        added === undefined
          ? before.slice(start, start + name.length + (lengths[series] ?? 0))
          : name + Buffer.from(added).toString('latin1');
      texts.delete(series);
      starts[series] = text.length + name.length;
      isStale[series] = 0;
      text += `${head} ${formatValue(values[series] ?? Number.NaN)}\n`;
    }
    if (copied !== NOT_COPIED) text += before.slice(copied);
    this.bytes = Buffer.from(text, 'latin1');
  }
}

const NOT_COPIED = -1;

/** Exposed lines of one family: its header in each format, and chunks that both formats share. */
export class FamilyLines {
  readonly family: FamilyMetadata;
  readonly name: string;
  /** Number of series. */
  count = 0;
  /** Last rendered header and lines. */
  page: Page;
  readonly #headers: Readonly<Record<ExpositionFormat, Segment>>;
  readonly #table: Table;
  /** Families that need rendering. */
  readonly #staleFamilies: Set<FamilyLines>;
  /** Chunks in the order of exposition. An empty chunk stays, for further lines. */
  readonly #chunks: Chunk[] = [];
  /** Chunks that accept further lines. */
  readonly #roomy = new Set<Chunk>();
  /** Chunks to render. */
  readonly #stale = new Set<Chunk>();
  readonly #rows: Segment[] = [];
  readonly #groups: Segment[] = [];

  constructor(family: FamilyMetadata, table: Table, staleFamilies: Set<FamilyLines>) {
    this.family = family;
    this.name = family.name;
    this.#table = table;
    this.#staleFamilies = staleFamilies;
    staleFamilies.add(this);
    const [text, openmetrics] = [familyHeader(family, 'text'), familyHeader(family, 'openmetrics')];
    this.#headers = { text: makeSegment(text), openmetrics: makeSegment(openmetrics) };
    this.page = this.#makePage();
  }

  /** Returns the number of the series with this label text; undefined if it is not exposed. */
  find(text: string): number | undefined {
    return this.#table.find(this, text);
  }

  /** Adds a series and returns its number. @param text its line from the family's name to the value */
  add(text: string, value: number): number {
    const [chunk = this.#newChunk()] = this.#roomy;
    const series = this.#table.add(text, value, chunk);
    this.count += 1;
    chunk.series.push(series);
    chunk.size += this.#sizeOf(series);
    if (chunk.size >= FULL_SIZE) this.#roomy.delete(chunk);
    this.#makeStale(chunk);
    return series;
  }

  /** Sets the value of a series. Returns true if it changed. */
  change(series: number, value: number): boolean {
    const { chunks, values, isStale } = this.#table;
    const chunk = chunks[series];
    if (chunk === undefined || Object.is(values[series], value)) return false;
    values[series] = value;
    isStale[series] = 1;
    this.#stale.add(chunk);
    this.#staleFamilies.add(this);
    return true;
  }

  remove(series: number): void {
    const chunk = this.#table.chunks[series];
    if (chunk === undefined) return;
    this.count -= 1;
    const index = chunk.series.indexOf(series);
    const before = chunk.series[index - 1];
    chunk.series.splice(index, 1);
    // Lines are copied in runs of adjacent ones: rendering the line before the gap ends the run.
    if (before !== undefined) this.#table.isStale[before] = 1;
    chunk.size -= this.#sizeOf(series);
    this.#table.delete(series);
    if (chunk.size < FULL_SIZE) this.#roomy.add(chunk);
    this.#makeStale(chunk);
  }

  /** Renders the changes, with one chunk, row or group per step. May include changes that arrive meanwhile. */
  *render(): Generator<undefined, void> {
    const rows = new Set<number>();
    for (const chunk of this.#stale) {
      this.#stale.delete(chunk);
      chunk.render(this.#table);
      rows.add(rowOf(chunk.index));
      yield;
    }
    const groups = new Set<number>();
    for (const row of rows) {
      const bytes: Buffer[] = [];
      for (const { bytes: lines } of this.#chunks.slice(firstChunkOf(row), firstChunkOf(row + 1)))
        if (lines.length > 0) bytes.push(lines);
      this.#rows[row] = segmentOf(bytes);
      groups.add(Math.floor(row / ROWS_IN_GROUP));
      yield;
    }
    for (const group of groups) {
      const first = group * ROWS_IN_GROUP;
      this.#groups[group] = joinSegments(this.#rows.slice(first, first + ROWS_IN_GROUP));
      yield;
    }
    this.page = this.#makePage();
  }

  #makePage(): Page {
    const { text, openmetrics } = this.#headers;
    return { text: [text, ...this.#groups], openmetrics: [openmetrics, ...this.#groups] };
  }

  #newChunk(): Chunk {
    const chunk = new Chunk(this, this.#chunks.length);
    this.#chunks.push(chunk);
    this.#roomy.add(chunk);
    return chunk;
  }

  #makeStale(chunk: Chunk): void {
    this.#stale.add(chunk);
    this.#staleFamilies.add(this);
  }

  /** Returns the approximate size (bytes) of a line. */
  #sizeOf(series: number): number {
    return this.name.length + (this.#table.lengths[series] ?? 0) + VALUE_SIZE;
  }
}

function rowOf(chunk: number): number {
  return chunk < SINGLE_CHUNKS ? chunk : SINGLE_CHUNKS + Math.floor((chunk - SINGLE_CHUNKS) / CHUNKS_IN_ROW);
}

function firstChunkOf(row: number): number {
  return row < SINGLE_CHUNKS ? row : SINGLE_CHUNKS + (row - SINGLE_CHUNKS) * CHUNKS_IN_ROW;
}

/** Families with series, and their last rendered pages by name. */
export class Families {
  readonly table: Table = new SeriesTable();
  readonly #families = new Map<string, FamilyLines>();
  /** Families to render, and families without series. */
  readonly #stale = new Set<FamilyLines>();
  /** All families sorted by name; undefined after one was added or removed. */
  #sorted: readonly FamilyLines[] | undefined;
  #pages: readonly Page[] = [];

  /** Returns the lines of a family, which it adds if needed. The first metadata of a name stays. */
  of(family: FamilyMetadata): FamilyLines {
    const known = this.#families.get(family.name);
    if (known !== undefined) return known;
    const lines = new FamilyLines(family, this.table, this.#stale);
    this.#families.set(family.name, lines);
    this.#sorted = undefined;
    return lines;
  }

  /** Returns the lines of a family; undefined if it has no series. */
  find({ name }: Pick<FamilyMetadata, 'name'>): FamilyLines | undefined {
    return this.#families.get(name);
  }

  /** Renders the changes in small steps, then replaces the pages. Removes families without series. */
  *render(): Generator<undefined, void> {
    if (this.#stale.size === 0) return;
    const stale = [...this.#stale];
    this.#stale.clear();
    for (const family of stale) {
      if (family.count > 0) yield* family.render();
      // Its last series may have been removed between two steps.
      if (family.count > 0) continue;
      this.#families.delete(family.name);
      this.#sorted = undefined;
    }
    this.#sorted ??= [...this.#families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const pages: Page[] = [];
    for (const family of this.#sorted) pages.push(family.page);
    this.#pages = pages;
  }

  /** Returns the last rendered pages of all families. */
  pages(): readonly Page[] {
    return this.#pages;
  }
}
