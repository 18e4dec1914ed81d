import { onTestFinished, TestRunner } from 'vitest';

/** Ends a fixture together with the running test, or in a hook at once. */
export function whenTestEnds(end: () => Promise<unknown> | unknown): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(async () => void (await end()));
}
