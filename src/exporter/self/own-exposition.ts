import type { Registry } from 'prom-client';
import type { Labels } from '../catalogue/family.ts';
import { writeLabels } from '../exposition/label-text.ts';
import { makeSegment, type Segment } from '../exposition/segment.ts';
import {
  type ExpositionFormat,
  type FamilyMetadata,
  familyHeader,
  formatThreshold,
  formatValue,
  type ShownSample,
} from '../exposition/text-format.ts';

/** Scrapes within this time (ms) get the same bytes, so that two scrapers cost one rendering. */
const RENDERED_EVERY_MS = 1_000;

/** Texts of at least this length become a segment. */
const SEGMENT_LENGTH = 16 * 1_024;

const TYPES: readonly FamilyMetadata['type'][] = ['counter', 'gauge', 'histogram', 'summary'];

/** A metric as the registry returns it; prom-client's own types leave out some of this. */
interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly {
    /** Where it is not the metric's: `_bucket`, `_sum` and `_count` series. */
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly value: number;
  }[];
}

/** The exporter's own metrics as part of the exposition: those of its registries, with the labels of accounts and without excluded families. */
export class OwnExposition {
  readonly #registries: readonly Registry[];
  readonly #now: () => number;
  readonly #rendered = new Map<ExpositionFormat, { at: number; segments: Promise<readonly Segment[]> }>();
  #isExcluded: (family: string) => boolean = () => false;
  #labelsOf: (account: string) => Labels = () => ({});

  /** @param now monotonic time in ms */
  constructor(registries: readonly Registry[], now: () => number) {
    this.#registries = registries;
    this.#now = now;
  }

  /**
   * Sets the configuration of what is shown.
   * @param isExcluded true for families that are left out
   * @param labelsOf labels that each series of an account has besides its own
   */
  configure(isExcluded: (family: string) => boolean, labelsOf: (account: string) => Labels): void {
    this.#isExcluded = isExcluded;
    this.#labelsOf = labelsOf;
    this.#rendered.clear();
  }

  /**
   * Returns the rendered families, at most a second old.
   * @param mustBeNew true if they are rendered for this scrape in any case
   */
  segments(format: ExpositionFormat, mustBeNew = false): Promise<readonly Segment[]> {
    const now = this.#now();
    const known = this.#rendered.get(format);
    if (!mustBeNew && known !== undefined && now - known.at < RENDERED_EVERY_MS) return known.segments;
    const segments = this.#render(format);
    this.#rendered.set(format, { at: now, segments });
    segments.catch(() => this.#rendered.delete(format));
    return segments;
  }

  /** Adds the samples of the wanted families to `into`, by the text of their series. */
  async collect(wants: (family: string) => boolean, into: Map<string, ShownSample>): Promise<void> {
    for (const metric of await this.#measure())
      if (wants(metric.name))
        for (const { series, name, labels, value } of this.#samples(metric))
          into.set(series, { family: { ...metadataOf(metric), name }, labels, value });
  }

  async #measure(): Promise<readonly RegistryMetric[]> {
    return (await Promise.all(this.#registries.map((registry) => registry.getMetricsAsJSON()))).flat();
  }

  /** Small families share a segment, large ones have several. */
  async #render(format: ExpositionFormat): Promise<readonly Segment[]> {
    const segments: Segment[] = [];
    let text = '';
    for (const metric of await this.#measure()) {
      let header = familyHeader(metadataOf(metric), format);
      for (const { series, value } of this.#samples(metric)) {
        text += `${header}${series} ${formatValue(value)}\n`;
        header = '';
        if (text.length < SEGMENT_LENGTH) continue;
        segments.push(makeSegment(text));
        text = '';
      }
    }
    return [...segments, makeSegment(text)];
  }

  /** Yields the shown samples of a metric. A label with an empty value is to Prometheus the same as no label, and a NaN is no measurement. */
  *#samples(metric: RegistryMetric) {
    if (this.#isExcluded(metric.name)) return;
    for (const { metricName: name = metric.name, labels: given, value } of metric.values) {
      if (Number.isNaN(value)) continue;
      const labels: Record<string, string> = { ...this.#labelsOf(String(given['account'] ?? '')) };
      for (const [label, text] of Object.entries(given)) {
        if (label === 'le' && typeof text === 'number') labels[label] = formatThreshold(text);
        else if (text !== undefined && text !== '') labels[label] = String(text);
      }
      yield { series: name + writeLabels(Object.keys(labels), labels), name, labels, value };
    }
  }
}

function metadataOf({ name, help, type }: RegistryMetric): FamilyMetadata {
  return { name, help, type: TYPES.find((one) => one === type) ?? 'gauge' };
}
