import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COSTLY } from '../.ci/left-out.mjs';

/** The files that take longest, the longest first: one that started last would be waited for alone. */
const SLOWEST = Object.keys(COSTLY);

/**
 * The projects in this order: what waits first. Those of a project follow each other, since Vitest ends a worker whose next
 * file would be of another one, and the new one imports all of the program again.
 */
const PROJECTS = ['end-to-end', 'simulation', 'unit'];

function rank({ moduleId, project }: TestSpecification): number {
  const slow = SLOWEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return PROJECTS.indexOf(project.name) * 2 * SLOWEST.length + (slow >= 0 ? slow : SLOWEST.length);
}

/** Vitest's own order is that of past runs, which a clean checkout lacks. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (one, other) => rank(one) - rank(other) || one.moduleId.localeCompare(other.moduleId),
    );
  }
}
