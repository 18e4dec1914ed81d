import { describe, expect, it } from 'vitest';
import { OLDEST_MINUTE } from '../../../src/exporter/settling/completeness.ts';
import {
  DelayReports,
  type DelaySettings,
  LearnedMetrics,
  learn,
  type MetricMemory,
  NOTHING_LEARNED,
  publishDelay,
  pushDelay,
  readMode,
  restoreMetric,
  settleDelay,
  storeMetric,
} from '../../../src/exporter/settling/learned.ts';
import { grown, NO_EVIDENCE } from '../series/series-bed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 5);
const AUTO: DelaySettings = { publish_delay: 'auto', settle_delay: 'auto' };
const WAF = new LearnedMetrics('a').of('metrics', 'edge_applications', 'waf');

/** What is known after so many buckets that were complete after so many minutes, holding a share of it before. */
function filled(known: MetricMemory, minutes: number, buckets: number, before = 50): MetricMemory {
  const shown = Array.from({ length: OLDEST_MINUTE + 1 }, (_, minute) => (minute < minutes ? before : 100));
  return grown(buckets, shown, known);
}

describe('a learned delay', () => {
  it('is that of settling for what is pushed, until it is known how complete buckets are when they are shown', () => {
    expect(pushDelay(NOTHING_LEARNED, AUTO, NOW)).toBe(10 * MINUTE);
    expect(pushDelay(filled(NOTHING_LEARNED, 4, 200), AUTO, NOW)).toBe(4 * MINUTE);
    expect(pushDelay(NOTHING_LEARNED, { ...AUTO, publish_delay: 3 * MINUTE }, NOW)).toBe(3 * MINUTE);
  });

  it('is reported once when it has changed, with what it was', () => {
    const reports = new DelayReports(AUTO);
    const changes = (known: MetricMemory) => reports.changes(WAF, known, NOW);
    expect(changes(NOTHING_LEARNED)).toEqual([]);
    const slow = filled(NOTHING_LEARNED, 9, 200);
    const waf = { product: 'edge_applications', metric: 'waf', delay: 'publish' };
    expect(changes(slow)).toEqual([{ ...waf, before: 2 * MINUTE, after: 9 * MINUTE }]);
    expect(changes(slow)).toEqual([]);
    const quick = filled(slow, 1, 200_000);
    expect(changes(quick)).toEqual([{ ...waf, before: 9 * MINUTE, after: MINUTE }]);
  });

  it('never changes where it is configured, whatever is learned', () => {
    const settings = { publish_delay: 3 * MINUTE, settle_delay: 10 * MINUTE };
    const reports = new DelayReports(settings);
    expect(reports.changes(WAF, filled(NOTHING_LEARNED, 9, 200), NOW)).toEqual([]);
    expect(publishDelay(filled(NOTHING_LEARNED, 9, 200), settings)).toBe(3 * MINUTE);
  });

  it('does not go back and forth where buckets are just complete enough', () => {
    const slow = filled(NOTHING_LEARNED, 5, 200);
    expect(publishDelay(slow, AUTO)).toBe(5 * MINUTE);
    // After 4 minutes buckets hold 98.2 %: enough to stay at a delay, not to go down to it.
    const shown: number[] = Array.from({ length: OLDEST_MINUTE + 1 }, (_, minute) => (minute < 4 ? 50 : 100));
    shown[4] = 98.2;
    expect(publishDelay(grown(200_000, shown, slow), AUTO)).toBe(5 * MINUTE);
    shown[4] = 99;
    expect(publishDelay(grown(200_000, shown, slow), AUTO)).toBe(4 * MINUTE);
  });

  it('of settling is the oldest change of a day with room above it, once two hours and 200 buckets were watched', () => {
    let known = NOTHING_LEARNED;
    const poll = (now: number, ages: number[]) => {
      known = learn(known, { ...NO_EVIDENCE, now, ages, counted: 1 });
    };
    for (let minute = 0; minute < 240; minute += 1) poll(NOW + minute * MINUTE, [4 * MINUTE]);
    expect(settleDelay(known, AUTO, NOW + 119 * MINUTE)).toBe(10 * MINUTE);
    expect(settleDelay(known, AUTO, NOW + 240 * MINUTE)).toBe(6 * MINUTE);
    poll(NOW + 4 * HOUR, [16 * MINUTE]);
    expect(settleDelay(known, AUTO, NOW + 10 * HOUR)).toBe(21 * MINUTE);
    for (let hour = 5; hour < 31; hour += 1) poll(NOW + hour * HOUR, [4 * MINUTE]);
    expect(settleDelay(known, AUTO, NOW + 31 * HOUR)).toBe(6 * MINUTE);
  });

  it('is the same after a restart, with all that it was learned from', () => {
    let known = filled(NOTHING_LEARNED, 9, 30);
    known = learn(known, {
      ...NO_EVIDENCE,
      now: NOW,
      ages: [5 * MINUTE],
      downwards: 1,
      counted: 7,
      lagMs: 9,
    });
    const restarted = restoreMetric(JSON.parse(JSON.stringify(storeMetric(known))));
    expect(restarted).toEqual(known);
    // 30 buckets more are enough: those before the restart count.
    expect(publishDelay(filled(restarted, 9, 30), AUTO)).toBe(9 * MINUTE);
  });
});

it('what the state holds of another version is nothing learned', () => {
  for (const stored of [undefined, {}, { version: 9 }]) expect(restoreMetric(stored)).toBe(NOTHING_LEARNED);
});

it('a metric that is read dimension by dimension is tried at once again a day later', () => {
  const known = learn(NOTHING_LEARNED, { ...NO_EVIDENCE, now: NOW, mode: 'dimensions' });
  const modes = [-48, 1, 23, 25].map((hours) => readMode(known, NOW + hours * HOUR));
  expect(modes).toEqual(['metric', 'dimensions', 'dimensions', 'metric']);
});
