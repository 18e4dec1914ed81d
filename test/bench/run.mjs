// Compiles and runs benchmarks one after another: `npm run bench [-- name ... --option ...]`. Without a name,
// it runs `scrape`.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILT = join(ROOT, '.cache', 'bench', 'test', 'bench');

/** Program and arguments of each benchmark. */
const BENCHMARKS = {
  scrape: [join(BUILT, 'scrape.js')],
  accounts: [join(BUILT, 'accounts.js')],
  cluster: [join(BUILT, 'accounts.js'), '--replicas=0,3', '--minutes=10'],
  push: [join(BUILT, 'push.js')],
  'backfill-push': [join(BUILT, 'backfill-push.js')],
  alerts: [join(BUILT, 'alert-quality.js')],
  'alerts-real': [
    join(BUILT, 'alert-quality.js'),
    ...['--world=real', '--accounts=17', '--evaluated-by=prometheus3', '--minute=1000'],
  ],
  'rule-cost': [join(BUILT, 'rule-cost.js')],
};

/** Tools that a benchmark starts. They are unpacked if they are missing. */
const TOOLS = {
  scrape: ['pushgateway'],
  push: ['prometheus', 'prometheus3'],
  'backfill-push': ['prometheus'],
  'alerts-real': ['prometheus', 'prometheus3', 'alertmanager'],
  'rule-cost': ['prometheus', 'promtool'],
};

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exit(2);
}
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
run([join(ROOT, 'node_modules', 'rolldown', 'bin', 'cli.mjs'), '--config'], ['inherit', 'ignore', 'inherit']);
run([TSC, '-p', join(ROOT, 'test', 'bench')]);
// The compiled sources read their version from the package.json beside them.
copyFileSync(join(ROOT, 'package.json'), join(ROOT, '.cache', 'bench', 'package.json'));
// The compiled sources also find the unpacked programs and the certificates beside them.
for (const folder of ['.cache', join('test', 'certificates')]) {
  const link = join(ROOT, '.cache', 'bench', folder);
  if (!existsSync(link)) symlinkSync(join(ROOT, folder), link);
}
for (const name of asked.length > 0 ? asked : ['scrape']) {
  process.stderr.write(`\n${name}\n\n`);
  if (name in TOOLS) run([join(BUILT, 'obtain.js'), ...TOOLS[name]]);
  run([...BENCHMARKS[name], ...options]);
}

function run(args, stdio = 'inherit') {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio });
  if (status !== 0) process.exit(1);
}
