import { onTestFinished, TestRunner } from 'vitest';

/** Ends a fixture when the running test finishes. Does nothing if no test is running. */
export function whenTestEnds(end: () => Promise<unknown> | unknown): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(async () => void (await end()));
}
