import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openState } from '../../../src/exporter/state/open-state.ts';
import { StateWriteFailure } from '../../../src/exporter/state/state.ts';

const COMMITTERS = 4;
const RECORD = 'x'.repeat(1_000);

const warn = (message: string) => {
  throw new Error(message);
};
const state = await openState(process.argv[2] ?? '', { info() {}, warn });

const found = Array.from({ length: COMMITTERS }, (_, c) => ({
  total: Number(state.get(['total', `${c}`]) ?? 0),
  watermark: Number(state.get(['watermark', `${c}`]) ?? 0),
}));
writeSync(1, `${JSON.stringify(found)}\n`);

await Promise.all(
  found.map(async ({ watermark }, committer) => {
    for (let number = watermark + 1; ; number++) {
      try {
        await state.commit([
          { key: ['total', `${committer}`], value: number * 3 },
          { key: ['watermark', `${committer}`], value: number },
          { key: ['some', `${committer}`, `${number % 50}`], value: RECORD },
        ]);
        writeSync(1, `${committer} ${number}\n`);
        // Limits the rate to what the reader can process.
        await delay(2);
      } catch (error) {
        if (!(error instanceof StateWriteFailure)) throw error;
        writeSync(1, `refused ${error.message}\n`);
        await delay(5);
      }
    }
  }),
);
