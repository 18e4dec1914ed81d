import type { FamilyMetadata } from '../exposition/family-header.ts';
import type { LiveSeries } from '../exposition/live-series.ts';
import { Distribution, Measure, RecentSummary } from './metric-types.ts';

/** One of the exporter's own families, and the names of its labels. */
export interface OwnFamily extends FamilyMetadata {
  readonly labels: readonly string[];
}

/** Makes the exporter's own metrics, all named `edge_exporter_…`, and keeps a list of them. */
export class MetricMaker {
  readonly families: OwnFamily[] = [];
  readonly #series: LiveSeries;

  constructor(series: LiveSeries) {
    this.#series = series;
  }

  counter<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): Measure<Names> {
    return new Measure(this.#family(name, help, 'counter', labelNames), labelNames);
  }

  gauge<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): Measure<Names> {
    return new Measure(this.#family(name, help, 'gauge', labelNames), labelNames);
  }

  histogram<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
    buckets: readonly number[],
  ): Distribution<Names> {
    return new Distribution(this.#family(name, help, 'histogram', labelNames), labelNames, buckets);
  }

  summary<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): RecentSummary<Names> {
    return new RecentSummary(this.#family(name, help, 'summary', labelNames), labelNames);
  }

  #family(name: string, help: string, type: FamilyMetadata['type'], labels: readonly string[]) {
    const family = { name: `edge_exporter_${name}`, help, type, labels };
    this.families.push(family);
    return this.#series.family(family);
  }
}
