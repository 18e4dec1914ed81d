import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: one that started last would be waited for alone. */
const SLOWEST = [
  'end-to-end/alerting',
  'simulation/rehearse',
  'simulation/chaos',
  'end-to-end/dashboard-queries',
  'end-to-end/crash',
  'end-to-end/push-kills',
  'rules/evaluation',
  'simulation/large-account',
  'rules/alerts',
  'end-to-end/mutated-answers',
  'simulation/edges',
  'end-to-end/push',
  'end-to-end/disk-failures',
  'rules/replay',
  'end-to-end/push-outage',
  'simulation/plan-agreement',
  'end-to-end/backfill',
  'page/troubles.browser',
  'simulation/chaos-durable',
  'end-to-end/backfill-push',
  'end-to-end/process',
  'state/damage',
].map((file) => `/test/${file}.test.ts`);

/** The projects in this order: what waits first, so that the others work meanwhile. */
const PROJECTS = ['end-to-end', 'simulation', 'unit'];

function rank({ moduleId, project }: TestSpecification): number {
  const slow = SLOWEST.findIndex((file) => moduleId.endsWith(file));
  return slow >= 0 ? slow : SLOWEST.length + PROJECTS.indexOf(project.name);
}

/** Vitest's own order is that of past runs, which a clean checkout lacks. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (one, other) => rank(one) - rank(other) || one.moduleId.localeCompare(other.moduleId),
    );
  }
}
