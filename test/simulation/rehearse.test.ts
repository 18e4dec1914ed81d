import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/exporter/clock.ts';
import { startDemonstration } from '../../src/rules/rehearse/demonstration.ts';
import { platformHistory } from '../../src/rules/rehearse/platform-history.ts';
import { rehearse } from '../../src/rules/rehearse/rehearsal.ts';
import { rehearsedRules } from '../../src/rules/rehearse/rehearsed-rules.ts';
import { SHIPPED } from '../../src/rules/shipped/alert-settings.ts';
import { noting } from '../exporter/backfill/history-bed.ts';
import { inLongSuite } from '../long-suite.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 1, 9, 30);
const {
  from: FROM,
  to: TO,
  judgedFrom: JUDGED_FROM,
} = inLongSuite(
  { from: NOW - 30 * DAY, to: NOW, judgedFrom: NOW - 22 * DAY },
  { from: NOW - 21.5 * DAY, to: NOW - 19.5 * DAY, judgedFrom: NOW - 21.5 * DAY },
);
const DAYS = (TO - FROM) / DAY;
const INCIDENTS = inLongSuite(18, 2);

it(`a rehearsal on ${DAYS} days of the embedded platform has every incident in its list`, async () => {
  const platform = await startDemonstration(1, NOW);
  onTestFinished(() => platform.close());
  const folder = await mkdtemp(join(tmpdir(), 'rehearse-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const rules = [rehearsedRules(SHIPPED)];
  const { signal } = new AbortController();
  const history = await platformHistory({
    accounts: platform.config.accounts,
    rules,
    from: FROM + 2 * HOUR,
    to: inLongSuite(undefined, TO),
    file: join(folder, 'history.om'),
    source: 'the embedded platform',
    clock: systemClock,
    signal,
    guard: () => undefined,
    progress: noting([]),
  });
  const { alerts, configurations } = await rehearse(history, rules, signal);
  expect(history.to - history.from).toBeGreaterThan((DAYS - 0.5) * DAY);
  expect(configurations).toHaveLength(3);
  const judged = platform.incidents.filter(
    ({ incident }) => incident.from >= JUDGED_FROM && incident.from < TO,
  );
  const missed = judged.filter(
    ({ name, incident: { from, to } }) =>
      !alerts[0]?.some(
        ({ labels, ...alert }) => labels['configuration'] === name && alert.from >= from && alert.from < to,
      ),
  );
  expect(missed).toEqual([]);
  expect(judged).toHaveLength(INCIDENTS);
});
