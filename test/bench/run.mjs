// npm run bench [name ...]: compiles the benchmarks, and runs those named, or all, one after another.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILT = join(ROOT, '.cache', 'bench', 'test', 'bench');

/** By name: the program and its arguments. */
const BENCHMARKS = {
  exposition: [join(BUILT, 'exposition.js')],
  schedule: [join(BUILT, 'schedule.js')],
  alerts: [join(BUILT, 'alert-quality.js')],
  decode: [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'bench', '--run', 'test/bench/decode.bench.ts'],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exit(2);
}
run([join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', join(ROOT, 'test', 'bench')]);
for (const name of asked.length > 0 ? asked : Object.keys(BENCHMARKS)) {
  process.stdout.write(`\n# ${name}\n\n`);
  run(BENCHMARKS[name]);
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
