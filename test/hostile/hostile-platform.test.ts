import { expect, it, onTestFinished } from 'vitest';
import { credentialsFrom } from '../../src/exporter/account/connection.ts';
import { systemClock } from '../../src/exporter/clock.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import type { PollEnd } from '../../src/exporter/poll/job.ts';
import { reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { eventually } from '../eventually.ts';
import { ownValue } from '../own-value.ts';
import { behaviours, serveBehaviour } from './hostile-platform.ts';

const TIMEOUT_MS = 2_000;
const STEP_MS = 1_200;

it('every poll ends within its timeout and a second, while platforms misbehave in every way at once', async () => {
  const hostile = await Promise.all(
    Object.entries(behaviours(STEP_MS)).map(async ([name, behaviour], index) => ({
      name,
      account: `account-${index}`,
      ...(await serveBehaviour(behaviour)),
    })),
  );
  const ends = new Map<string, PollEnd[]>(hostile.map(({ account }) => [account, []]));
  const metrics = createSelfMetrics();
  const unheard = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const report = reportTo(metrics, unheard, systemClock);
  const defects: unknown[] = [];
  const exporter = new Exporter({
    clock: systemClock,
    ticker: () => () => undefined,
    state: memoryState(),
    metrics,
    observer: {
      ...report,
      polled: (account, end) => {
        if (end.operations > 0) ends.get(account)?.push(end);
        report.polled(account, end);
      },
      defect: (...defect) => void defects.push(defect),
    },
    credentials: credentialsFrom(systemClock, { guard: () => undefined }),
  });
  onTestFinished(() => exporter.stop(AbortSignal.timeout(5_000)));
  const standstill = watchStandstill();
  await exporter.apply(
    CONFIG.parse({
      accounts: hostile.map(({ name, account, origin }) => ({
        name: account,
        api_url: origin,
        // A login fails before anything is read, so only the platform that supports logins gets one.
        ...(name.startsWith('refuses every token')
          ? { username: 'operator', password: 'x' }
          : { token: 'x' }),
        request: { timeout: `${TIMEOUT_MS / 1_000}s`, max_response_bytes: 4 * 2 ** 20 },
        collectors: { domains: {}, waf_rulesets: {}, metrics: {} },
      })),
    }),
    new AbortController().signal,
  );
  const isOver = ({ account }: { account: string }) => (ends.get(account)?.length ?? 0) >= 2;
  await eventually('every account has ended two polls', () => hostile.every(isOver), {
    evidence: () =>
      hostile
        .filter((each) => !isOver(each))
        .map(({ name }) => name)
        .join(', '),
  });

  const longest = TIMEOUT_MS + 1_000 + standstill.end();
  for (const { name, account, requests } of hostile) {
    expect(requests(), name).toBeGreaterThan(0);
    for (const { outcome, durationMs, job } of ends.get(account) ?? []) {
      expect(outcome, `${name}: ${job.id}`).not.toBe('ok');
      expect(durationMs, `${name}: ${job.id}`).toBeLessThan(longest);
    }
    expect(await ownValue(metrics.pollsOverdue, { account }), name).toBeUndefined();
  }
  expect(defects).toEqual([]);
});

function watchStandstill() {
  const everyMs = 20;
  let last = performance.now();
  let total = 0;
  const look = () => {
    // Short delays count too: a hundred delays of 15 ms slow a poll down as much as one of 1.5 s.
    total += Math.max(0, performance.now() - last - everyMs);
    last = performance.now();
  };
  const timer = setInterval(look, everyMs);
  return {
    end() {
      look();
      clearInterval(timer);
      return total;
    },
  };
}
