import type { Chunk } from './chunk.ts';
import type { FamilyMetadata } from './family-header.ts';
import { FamilyLines } from './family-lines.ts';
import type { ExpositionFormat } from './negotiate.ts';
import type { Segment } from './segment.ts';
import { SeriesTable } from './series-table.ts';

type Pages = Readonly<Record<ExpositionFormat, readonly Segment[]>>;

/** Families that have series, and the page that they make: by name, as last rendered. */
export class Families {
  readonly table = new SeriesTable<Chunk<FamilyLines>>();
  readonly #families = new Map<string, FamilyLines>();
  #pages: Pages = { text: [], openmetrics: [] };
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
    this.#pages = { text: pageOf(sorted, 'text'), openmetrics: pageOf(sorted, 'openmetrics') };
    this.#isChanged = false;
  }

  /** Everything as last rendered. */
  page(format: ExpositionFormat): readonly Segment[] {
    return this.#pages[format];
  }
}

function pageOf(families: readonly FamilyLines[], format: ExpositionFormat): readonly Segment[] {
  return families.flatMap((family) => family.segments(format));
}
