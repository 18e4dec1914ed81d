import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { page } from '../exporter/page/rendered.ts';
import { type ParsedExposition, seriesKey } from '../parse-exposition.ts';
import type { Simulation } from './simulation.ts';

const METRIC = 'status_code';
const PRODUCT = PRODUCTS.find(({ api, slug }) => api === 'metrics' && slug === 'edge_applications')?.id ?? 0;

/**
 * Minimum share of its final value at which a bucket may be exposed. The embedded platform's buckets reach
 * about 0.95 at the usual publish delay.
 */
const LEAST_COMPLETE = 0.85;

const SLACK_SECONDS = 6;

const COUNTED_SECONDS = 3 * 60 + SLACK_SECONDS;

const WIDTHS = [1, 2, 5, 10, 60].map((minutes) => minutes * 60_000);

const TROUBLES = [
  'edge_exporter_clock_steps_total',
  'edge_exporter_stalled_seconds_total',
  'edge_exporter_missed_ticks_total',
  'edge_exporter_rejected_rows_total',
  'edge_exporter_buckets_skipped_total',
  'edge_exporter_state_errors_total',
  'edge_exporter_late_restatement_total',
  'edge_exporter_platform_clock_contradictions_total',
];

/** Content of one scrape, compared with the true values. */
export interface Scrape {
  readonly exposition: ParsedExposition;
  /** Number of traffic gauges, and number of wrong ones. */
  readonly shown: number;
  readonly wrong: number;
  readonly wrongBounds: number;
  readonly again: boolean;
  readonly stale: boolean;
  readonly current: boolean;
  readonly counted: boolean;
  /** Largest settle delay (s) of the counters. */
  readonly settleSeconds: number;
  readonly trusted: boolean;
  readonly page: readonly string[];
  readonly trouble: ReadonlyMap<string, number>;
}

type Labels = Readonly<Record<string, string>>;

/** Scrapes an exporter, and compares the result with the platform's true values. */
export class Scraper {
  readonly #simulation: Simulation;
  readonly #truths = new Map<string, ReturnType<Simulation['sandbox']['truth']>>();
  readonly #shownAs = new Map<Labels, Map<string, number>>();
  #exporter: unknown;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  async scrape(): Promise<Scrape> {
    const exposition = await this.#simulation.scrape();
    const { samples } = exposition;
    const exporter = this.#simulation.exporter();
    // A new process does not know the values that the earlier one exposed, nor its learned delays.
    if (exporter !== this.#exporter) this.#shownAs.clear();
    this.#exporter = exporter;
    const now = this.#simulation.clock.now() / 1_000;
    const series = seriesByName(samples);
    const of = (wanted: string) => series.get(wanted) ?? [];
    const oldest = (name: string) => Math.min(...of(name).map(({ value }) => value));
    const gauges = of('edge_responses_per_minute').map(({ labels, value }) => ({
      labels,
      value,
      until: this.#until(samples, labels),
    }));
    const bounds = of('edge_responses_at_least_per_minute');
    const settleSeconds = Math.max(...of('edge_exporter_settle_delay_seconds').map(({ value }) => value));
    const [expected] = of('edge_expected_age_seconds');
    const oldestExpected = now - (expected?.value ?? 0) - SLACK_SECONDS;
    const up = of('edge_up').every(({ value }) => value === 1);
    return {
      exposition,
      shown: gauges.length,
      wrong: gauges.filter(({ labels, until, value }) => !this.#isTrue(labels, until, value)).length,
      again: gauges.filter((gauge) => this.#wasOtherwise(gauge)).length > 0,
      wrongBounds: bounds.filter(({ labels, value }) => this.#isTooHigh(samples, labels, value)).length,
      stale: gauges.some(({ until }) => until / 1_000 < oldestExpected),
      current: gauges.length > 0 && oldest('edge_data_until_timestamp_seconds') >= oldestExpected,
      counted:
        of('edge_counted_until_timestamp_seconds').length > 0 &&
        now - oldest('edge_counted_until_timestamp_seconds') <= settleSeconds + COUNTED_SECONDS,
      settleSeconds,
      trusted: up && [...this.#simulation.exporter().notReady()].flat().length === 0,
      page: this.#page(),
      trouble: troubleIn(series),
    };
  }

  #wasOtherwise({ labels, until, value }: { labels: Labels; until: number; value: number }): boolean {
    const shownAs = this.#shownAs.get(labels) ?? new Map<string, number>();
    this.#shownAs.set(labels, shownAs);
    const key = String(until);
    const before = shownAs.get(key) ?? value;
    shownAs.set(key, value);
    return before !== value;
  }

  #isTooHigh(samples: ReadonlyMap<string, number>, labels: Labels, value: number): boolean {
    const to = 1_000 * Number(samples.get(momentKey('edge_seen_until_timestamp_seconds', labels)));
    return WIDTHS.every((width) => value > this.#perMinute(labels, { from: to - width, to }));
  }

  /** Returns the end (ms) of the bucket that the gauges show. */
  #until(samples: ReadonlyMap<string, number>, labels: Labels): number {
    return 1_000 * Number(samples.get(momentKey('edge_data_until_timestamp_seconds', labels)));
  }

  #isTrue(labels: Labels, to: number, value: number): boolean {
    return WIDTHS.some((width) => {
      const truth = this.#perMinute(labels, { from: to - width, to });
      return value <= truth && value >= Math.floor(LEAST_COMPLETE * truth) - 2;
    });
  }

  #perMinute(labels: Labels, { from, to }: Bucket): number {
    const id = labels['configuration_id'];
    const key = `${id} ${from} ${to}`;
    const known = this.#truths.get(key);
    const truth =
      known ??
      this.#simulation.sandbox.truth({
        api: 'metrics',
        product: PRODUCT,
        configuration: Number(id),
        metric: METRIC,
        from,
        to,
      });
    this.#truths.set(key, truth);
    let sum = 0;
    for (const [dimension, points] of Object.entries(truth)) {
      if (belongs(dimension, labels)) for (const [, value] of points) sum += value;
    }
    return (sum * 60_000) / (to - from);
  }

  #page(): string[] {
    const { state } = this.#simulation;
    const markup = page(
      madeUpStatus({
        accounts: this.#simulation.exporter().accounts(),
        state: {
          kind: state.kind,
          ...(state.directory !== undefined && { directory: '' }),
          ...(state.note !== undefined && { note: '' }),
        },
      }),
    );
    const box = markup.slice(markup.indexOf('<div id="verdict"'), markup.indexOf('<dl class="figures">'));
    const said = [...box.matchAll(/<p class="says"[^>]*>(.*?)<\/p>|<li>(.*?)<p class="next">/gs)];
    return said.map(([, first = '', other = '']) =>
      (first || other).replace(/<[^>]*>/g, '').replace(/\d[\d.]*/g, '#'),
    );
  }
}

interface Bucket {
  readonly from: number;
  readonly to: number;
}

function nameOf(key: string): string {
  return key.slice(2, key.indexOf('"', 2));
}

const knownLabels = new Map<string, Labels>();

function labelsOf(key: string): Labels {
  const known = knownLabels.get(key);
  if (known !== undefined) return known;
  const [, pairs] = JSON.parse(key) as [string, [string, string][]];
  const labels = Object.fromEntries(pairs);
  knownLabels.set(key, labels);
  return labels;
}

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

function seriesByName(samples: ReadonlyMap<string, number>): ReadonlyMap<string, readonly Sample[]> {
  const found = new Map<string, Sample[]>();
  for (const [key, value] of samples) {
    const name = nameOf(key);
    const sample = { labels: labelsOf(key), value };
    const known = found.get(name);
    if (known === undefined) found.set(name, [sample]);
    else known.push(sample);
  }
  return found;
}

function troubleIn(series: ReadonlyMap<string, readonly Sample[]>): ReadonlyMap<string, number> {
  const trouble = new Map<string, number>();
  for (const name of TROUBLES) {
    for (const { value } of series.get(name) ?? []) {
      if (value > 0) trouble.set(name, (trouble.get(name) ?? 0) + value);
    }
  }
  const durable = 'edge_exporter_state_durable';
  if ((series.get(durable) ?? []).some(({ value }) => value === 0)) trouble.set(`${durable} 0`, 1);
  return trouble;
}

function belongs(dimension: string, { class: group = '', code }: Labels): boolean {
  if (code === undefined) return dimension[0] === group[0];
  return dimension === (code === 'other' ? group : code);
}

const knownMoments = new Map<string, Map<Labels, string>>();

function momentKey(name: string, labels: Labels): string {
  const known = knownMoments.get(name) ?? new Map<Labels, string>();
  knownMoments.set(name, known);
  let key = known.get(labels);
  if (key === undefined) {
    const { class: _, code: __, ...target } = labels;
    key = seriesKey(name, { ...target, metric: METRIC });
    known.set(labels, key);
  }
  return key;
}
