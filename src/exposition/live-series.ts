import type { ExpositionPart } from './exposition.ts';
import type { FamilyMetadata } from './family-header.ts';
import type { Page } from './segment.ts';
import { Families, type FamilyLines } from './shown-families.ts';

/** Series whose values are set one by one, as those of the exporter's own metrics: ready bytes like all others. */
export class LiveSeries implements ExpositionPart {
  readonly #families = new Families();
  #listener: () => void = () => undefined;
  #isChanged = false;
  #prepare: () => void = () => undefined;

  /** A family; of a name that is known already, the same. */
  family(metadata: FamilyMetadata): LiveFamily {
    return new LiveFamily(this.#families, metadata, () => this.#changed());
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
    if (this.#isChanged) listener();
  }

  /** Has `prepare` called before each refresh, to set what is known no sooner. */
  beforeRefresh(prepare: () => void): void {
    this.#prepare = prepare;
  }

  *refresh(): Generator<undefined, void> {
    // What is set here belongs to this refresh and must not ask for another one.
    this.#isChanged = true;
    this.#prepare();
    this.#isChanged = false;
    yield* this.#families.render();
  }

  pages(): readonly Page[] {
    return this.#families.pages();
  }

  #changed(): void {
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.#listener();
  }
}

/** One family of such series, each by what stands between its family's name and its value, such as `_sum{account="a"}`. */
export class LiveFamily {
  readonly #families: Families;
  readonly #metadata: FamilyMetadata;
  readonly #changed: () => void;

  constructor(families: Families, metadata: FamilyMetadata, changed: () => void) {
    this.#families = families;
    this.#metadata = metadata;
    this.#changed = changed;
  }

  get name(): string {
    return this.#metadata.name;
  }

  /** The value of a series; undefined when there is none. */
  value(text: string): number | undefined {
    const series = this.#families.find(this.#metadata)?.find(text);
    return series === undefined ? undefined : this.#families.table.valueOf(series);
  }

  set(text: string, value: number): void {
    const lines = this.#lines();
    const series = lines.find(text);
    if (series === undefined) lines.add(text, value);
    else if (!lines.change(series, value)) return;
    this.#changed();
  }

  /** Adds to the value of a series, which begins at 0. */
  add(text: string, amount: number): void {
    const lines = this.#lines();
    const series = lines.find(text);
    if (series === undefined) lines.add(text, amount);
    else if (!lines.change(series, this.#families.table.valueOf(series) + amount)) return;
    this.#changed();
  }

  remove(text: string): void {
    const lines = this.#families.find(this.#metadata);
    const series = lines?.find(text);
    if (lines === undefined || series === undefined) return;
    lines.remove(series);
    this.#families.release(lines);
    this.#changed();
  }

  #lines(): FamilyLines {
    return this.#families.of(this.#metadata);
  }
}
