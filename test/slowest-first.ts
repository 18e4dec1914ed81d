import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COSTLY } from '../.ci/left-out.mjs';

/** The files that take longest, the longest first: one that started last would be waited for alone. */
const SLOWEST = Object.keys(COSTLY);

/** The projects in this order: what waits first, so that the others work meanwhile. */
const PROJECTS = ['end-to-end', 'simulation', 'unit'];

function rank({ moduleId, project }: TestSpecification): number {
  const slow = SLOWEST.findIndex((file) => moduleId.endsWith(`/${file}`));
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
