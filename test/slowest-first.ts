import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Slowest test files in descending order, so that none runs alone at the end. At most two consecutive files
 * only wait.
 */
export const SLOWEST: readonly string[] = [
  'test/end-to-end/alerting.test.ts',
  'test/end-to-end/dashboard-queries.test.ts',
  'test/end-to-end/cluster-push.test.ts',
  'test/rules/shipped/account-troubles.test.ts',
  'test/rules/shipped/evaluation.test.ts',
  'test/end-to-end/cluster.test.ts',
  'test/end-to-end/mutated-answers.test.ts',
  'test/rules/shipped/two-exporters.test.ts',
  'test/end-to-end/push-kills.test.ts',
  'test/rules/shipped/alerts.test.ts',
  'test/end-to-end/disk-failures.test.ts',
  'test/end-to-end/crash.test.ts',
  'test/end-to-end/push-outage.test.ts',
  'test/end-to-end/stopping-while-all-hangs.test.ts',
  'test/end-to-end/truth.test.ts',
  'test/end-to-end/settings.test.ts',
  'test/rules/shipped/days-as-they-are.test.ts',
  'test/end-to-end/hostile-answers.test.ts',
  'test/rules/shipped/replay.test.ts',
  'test/end-to-end/push.test.ts',
  'test/end-to-end/backfill.test.ts',
  'test/exporter/page/troubles.browser.test.ts',
  'test/end-to-end/backfill-push.test.ts',
  'test/end-to-end/push-increase.test.ts',
  'test/end-to-end/push-snapshots.test.ts',
  'test/end-to-end/catching-up-rates.test.ts',
  'test/simulation/chaos.test.ts',
  'test/simulation/rehearse.test.ts',
  'test/simulation/plan-agreement.test.ts',
  'test/simulation/large-account.test.ts',
  'test/simulation/edges.test.ts',
  'test/simulation/two-sources.test.ts',
  'test/simulation/learned-delays.test.ts',
  'test/simulation/unanswered.test.ts',
  'test/simulation/graphql-truth.test.ts',
  'test/simulation/every-list.test.ts',
  'test/simulation/hanging-account.test.ts',
  'test/simulation/source-freshness.test.ts',
  'test/simulation/late-platform.test.ts',
  'test/simulation/other-clients.test.ts',
  'test/simulation/chaos-durable.test.ts',
  'test/simulation/hostile-graphql.test.ts',
  'test/simulation/documented-families.test.ts',
  'test/exporter/state/damage.test.ts',
  'test/rules/rehearse/rehearse.test.ts',
  'test/exporter/backfill/backfill.test.ts',
  'test/exporter/series/memory.test.ts',
  'test/exporter/configuration/config.test.ts',
  'test/exporter/decode/decode-load.test.ts',
  'test/exporter/platform/client.test.ts',
  'test/exporter/rate-limit/expected-intervals.test.ts',
  'test/exporter/series/counters-properties.test.ts',
];

/**
 * Order of projects; those that wait most come first. Files of a project are adjacent, because Vitest starts
 * a new worker for another project.
 */
const PROJECTS = ['real', 'simulation', 'unit', 'long'];

function rank({ moduleId, project }: TestSpecification): number {
  const slow = SLOWEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return PROJECTS.indexOf(project.name) * 2 * SLOWEST.length + (slow >= 0 ? slow : SLOWEST.length);
}

/**
 * Sorts the slowest test files first. Vitest's own order depends on past runs, which a clean checkout lacks.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (one, other) => rank(one) - rank(other) || one.moduleId.localeCompare(other.moduleId),
    );
  }
}
