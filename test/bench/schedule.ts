/**
 * How fresh the data is that the quota allows, beside the best possible and a naive design. Compile with
 * `tsc -p test/bench`, then run `node .cache/bench/test/bench/schedule.js [hours [part of a line's start [seed]]]`.
 */
import { measure } from './schedule/measure.ts';

const hours = Number(process.argv[2] ?? 24);
const only = process.argv[3] ?? '';
const seed = Number(process.argv[4] ?? 0);

function row(...cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

row(
  'design',
  'limit',
  'token',
  'jobs',
  '429s',
  'quota used',
  'mean age, s',
  'ratio',
  'worst age, s',
  'ratio',
  'starved',
  "others' 429s",
);
row(...'---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:'.split('|'));
for (const design of ['ours', 'naive'] as const) {
  for (const limit of [80, 200]) {
    for (const company of ['alone', 'shared', 'bursty'] as const) {
      for (const jobs of [50, 200, 1_000, 5_000]) {
        if (!`${design} ${limit} ${company} ${jobs}`.includes(only)) continue;
        const began = performance.now();
        const found = await measure({ design, jobs, limit, company, hours, seed });
        row(
          design,
          limit,
          company,
          jobs,
          found.refusals,
          `${(100 * found.used).toFixed(1)} %`,
          found.mean.toFixed(1),
          found.meanRatio.toFixed(3),
          found.worst.toFixed(0),
          found.worstRatio.toFixed(3),
          found.starved,
          `${(100 * found.refusedOthers).toFixed(1)} %`,
        );
        process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
      }
    }
  }
}
