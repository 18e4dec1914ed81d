import type { Sample } from '../catalogue/family.ts';
import {
  BUCKET_COMPLETENESS_RATIO,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  UPWARD_RESTATEMENT_RATIO,
} from '../catalogue/platform-families.ts';
import type { SeriesJob } from '../series/series-job.ts';
import { completeByMinute, FINAL_MINUTE } from '../settling/completeness.ts';
import { type DelaySettings, delaysOf, type MetricMemory, upwardShare } from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import { MINUTE_MS } from '../settling/window.ts';
import type { AccountView } from './account-status.ts';
import { type BehindAt, catchingUp } from './catching-up.ts';

interface LearnedSamplesOptions {
  readonly delays: DelaySettings;
  readonly publish: (part: string, samples: readonly Sample[]) => void;
}

/** What is learned of a metric. */
type LearnedOf = Pick<LearnedMetric, 'product' | 'metric'> & { readonly known: MetricMemory };

/** What is exposed every minute of what was learned of a platform, and of how far its counters have come. */
export class LearnedSamples {
  readonly #account: Pick<AccountView, 'name' | 'platform' | 'intervals'>;
  readonly #options: LearnedSamplesOptions;
  /** Whose counters catch up. */
  #behind: BehindAt = new Map();

  constructor(account: Pick<AccountView, 'name' | 'platform' | 'intervals'>, options: LearnedSamplesOptions) {
    this.#account = account;
    this.#options = options;
  }

  /** Exposes what was learned of the platform's delays. @param now the platform's time */
  expose(learned: Iterable<LearnedOf>, now: number): void {
    const { name: account } = this.#account;
    const samples = [...learned].flatMap(({ product, metric, known }) =>
      learnedSamples({ account, product, metric }, known, this.#options.delays, now),
    );
    this.#options.publish('learned', samples);
  }

  /** Exposes which counters catch up, in steps. Called before the first poll too: after a restart it brings all at once. */
  *exposeCatchingUp(jobs: Iterable<SeriesJob>): Generator<undefined, void> {
    const { platform, intervals } = this.#account;
    const found = yield* catchingUp(
      jobs,
      this.#behind,
      platform.platformClock.now(),
      (job) => intervals.of(job).planned,
    );
    this.#behind = found.behind;
    this.#options.publish('counting', found.samples);
  }
}

/** From this share on a bucket counts as final. */
const FINAL_SHARE = 0.999;

/** The delays of one metric, and what was learned of how its buckets fill up. */
function learnedSamples(
  labels: Readonly<Record<string, string>>,
  known: MetricMemory,
  delays: DelaySettings,
  now: number,
): Sample[] {
  const { publish, settle } = delaysOf(known, delays, now);
  const samples: Sample[] = [
    { family: PUBLISH_DELAY_SECONDS, labels, value: publish / 1_000 },
    { family: SETTLE_DELAY_SECONDS, labels, value: settle / 1_000 },
  ];
  const upwards = upwardShare(known, now);
  if (upwards !== undefined) samples.push({ family: UPWARD_RESTATEMENT_RATIO, labels, value: upwards });
  for (const [minute, value] of completeByMinute(known.completeness)) {
    // That buckets are final at the usual age need not be told.
    if (minute >= FINAL_MINUTE && value >= FINAL_SHARE) continue;
    const age = String((minute * MINUTE_MS) / 1_000);
    samples.push({ family: BUCKET_COMPLETENESS_RATIO, labels: { ...labels, age_seconds: age }, value });
  }
  return samples;
}
