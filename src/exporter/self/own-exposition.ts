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

/** Time (ms) for which scrapes share one rendering, so that two scrapers do not double its cost. */
const RENDERED_EVERY_MS = 1_000;

/** Length (characters) from which text becomes a segment. */
const SEGMENT_LENGTH = 16 * 1_024;

const TYPES: readonly FamilyMetadata['type'][] = ['counter', 'gauge', 'histogram', 'summary'];

/** Metric as the registry returns it; prom-client's types omit some of these fields. */
interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly {
    /** Name of the series if it differs from the metric's: `_bucket`, `_sum` and `_count` series. */
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly value: number;
  }[];
}

/** The exporter's own metrics in the exposition: those of its registries, with labels of accounts, without excluded families. */
export class OwnExposition {
  readonly #registries: readonly Registry[];
  readonly #now: () => number;
  readonly #rendered = new Map<ExpositionFormat, { at: number; segments: Promise<readonly Segment[]> }>();
  #isExcluded: (family: string) => boolean = () => false;
  #labelsOf: (account: string) => Labels = () => ({});

  /** @param now returns monotonic time (ms) */
  constructor(registries: readonly Registry[], now: () => number) {
    this.#registries = registries;
    this.#now = now;
  }

  /**
   * Sets the configuration of the exposition.
   * @param isExcluded returns true for families to leave out
   * @param labelsOf returns labels to add to each series of an account
   */
  configure(isExcluded: (family: string) => boolean, labelsOf: (account: string) => Labels): void {
    this.#isExcluded = isExcluded;
    this.#labelsOf = labelsOf;
    this.#rendered.clear();
  }

  /** Returns the rendered families, at most a second old. @param mustBeNew true to render them for this scrape in any case */
  segments(format: ExpositionFormat, mustBeNew = false): Promise<readonly Segment[]> {
    const now = this.#now();
    const known = this.#rendered.get(format);
    if (!mustBeNew && known !== undefined && now - known.at < RENDERED_EVERY_MS) return known.segments;
    const segments = this.#render(format);
    this.#rendered.set(format, { at: now, segments });
    segments.catch(() => this.#rendered.delete(format));
    return segments;
  }

  /** Adds the samples of the selected families to `into`, by the text of their series. */
  async collect(wants: (family: string) => boolean, into: Map<string, ShownSample>): Promise<void> {
    for (const metric of await this.#measure())
      if (wants(metric.name))
        for (const { series, name, labels, value } of this.#samples(metric))
          into.set(series, { family: { ...metadataOf(metric), name }, labels, value });
  }

  async #measure(): Promise<readonly RegistryMetric[]> {
    return (await Promise.all(this.#registries.map((registry) => registry.getMetricsAsJSON()))).flat();
  }

  /** Renders the families. Small ones share a segment; large ones have several. */
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

  /** Yields the exposed samples of a metric, without NaN values and empty labels, which Prometheus treats as absent. */
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
