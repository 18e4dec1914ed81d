import { writeSync } from 'node:fs';
import { openState } from '../../../src/exporter/state/open-state.ts';

const COMMITTERS = 8;
const STEP = 0.1;

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
  found.map(async ({ total, watermark }, committer) => {
    for (let sum = total, number = watermark + 1; ; number++) {
      sum += STEP;
      await state.commit([
        { key: ['total', `${committer}`], value: sum },
        { key: ['watermark', `${committer}`], value: number },
      ]);
      writeSync(1, `${committer} ${number}\n`);
    }
  }),
);
