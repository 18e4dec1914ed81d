import type { FamilyMetadata } from '../exposition/family-header.ts';
import type { LiveSeries } from '../exposition/live-series.ts';
import { Distribution, Measure, RecentSummary } from './measures.ts';

/** Makes the exporter's own metrics, all named `edge_exporter_…`, and keeps a list of them. */
export class MetricMaker {
  readonly families: FamilyMetadata[] = [];
  readonly #series: LiveSeries;

  constructor(series: LiveSeries) {
    this.#series = series;
  }

  counter<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): Measure<Names> {
    return new Measure(this.#family(name, help, 'counter'), labelNames);
  }

  gauge<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): Measure<Names> {
    return new Measure(this.#family(name, help, 'gauge'), labelNames);
  }

  histogram<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
    buckets: readonly number[],
  ): Distribution<Names> {
    return new Distribution(this.#family(name, help, 'histogram'), labelNames, buckets);
  }

  summary<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): RecentSummary<Names> {
    return new RecentSummary(this.#family(name, help, 'summary'), labelNames);
  }

  #family(name: string, help: string, type: FamilyMetadata['type']) {
    const metadata = { name: `edge_exporter_${name}`, help, type };
    this.families.push(metadata);
    return this.#series.family(metadata);
  }
}
