import type { Sample } from '../catalogue/family.ts';
import { OLDEST_MINUTE } from './completeness.ts';
import type { Delays } from './delays.ts';
import {
  BUCKET_COMPLETENESS_RATIO,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  UPWARD_RESTATEMENT_RATIO,
} from './learned-families.ts';
import { MINUTE_MS } from './window.ts';

/** The delays of one metric, and what was learned of how its buckets fill up. */
export function learnedSamples(
  labels: Readonly<Record<string, string>>,
  delays: Delays,
  now: number,
): Sample[] {
  const samples: Sample[] = [
    { family: PUBLISH_DELAY_SECONDS, labels, value: delays.publish() / 1_000 },
    { family: SETTLE_DELAY_SECONDS, labels, value: delays.settle(now) / 1_000 },
  ];
  const upwards = delays.directions.upwardShare(now);
  if (upwards !== undefined) samples.push({ family: UPWARD_RESTATEMENT_RATIO, labels, value: upwards });
  for (let minute = 0; minute <= OLDEST_MINUTE; minute += 1) {
    const value = delays.completeness.at(minute);
    if (value === undefined) continue;
    const age = String((minute * MINUTE_MS) / 1_000);
    samples.push({ family: BUCKET_COMPLETENESS_RATIO, labels: { ...labels, age_seconds: age }, value });
  }
  return samples;
}
