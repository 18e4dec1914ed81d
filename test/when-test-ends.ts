import { onTestFinished, TestRunner } from 'vitest';

/** Ends what a fixture has started with the test that runs; what starts beside a test, as in a hook, is ended there. */
export function whenTestEnds(end: () => Promise<unknown> | unknown): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(async () => void (await end()));
}
