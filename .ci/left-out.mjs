// Decides which of the tests that cost most a change cannot concern. Prints their paths, separated by commas, and says on
// the standard error which they are and why. All other tests always run; where anything is not known, all run.
//   CI_ALL=true     nothing is left out: every night, and before a release
//   CI_BASE=<commit> what is compared with; without it, the point at which the branch left main
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');

/**
 * By the file of the test: the commands of the program that it starts as a process. What it imports is looked up. They start
 * in this order: those that take longest first, and of those that only wait no more than two at a time, so that the others work.
 */
export const COSTLY = {
  'test/end-to-end/alerting.test.ts': ['serve'],
  'test/end-to-end/dashboard-queries.test.ts': ['serve'],
  'test/end-to-end/cluster-push.test.ts': ['serve'],
  'test/rules/shipped/account-troubles.test.ts': [],
  'test/rules/shipped/evaluation.test.ts': [],
  'test/end-to-end/cluster.test.ts': ['serve'],
  'test/end-to-end/mutated-answers.test.ts': ['serve'],
  'test/rules/shipped/two-exporters.test.ts': [],
  'test/end-to-end/push-kills.test.ts': ['serve'],
  'test/rules/shipped/alerts.test.ts': [],
  'test/end-to-end/disk-failures.test.ts': ['serve'],
  'test/end-to-end/crash.test.ts': ['serve'],
  'test/end-to-end/push-outage.test.ts': [],
  'test/end-to-end/stopping-while-all-hangs.test.ts': ['serve'],
  'test/end-to-end/truth.test.ts': ['serve'],
  'test/end-to-end/settings.test.ts': ['serve'],
  'test/rules/shipped/days-as-they-are.test.ts': [],
  'test/end-to-end/hostile-answers.test.ts': ['serve'],
  'test/rules/shipped/replay.test.ts': [],
  'test/end-to-end/push.test.ts': [],
  'test/end-to-end/backfill.test.ts': ['backfill', 'serve'],
  'test/exporter/page/troubles.browser.test.ts': [],
  'test/end-to-end/backfill-push.test.ts': ['backfill', 'serve'],
  'test/end-to-end/push-increase.test.ts': [],
  'test/end-to-end/push-snapshots.test.ts': [],
  'test/end-to-end/catching-up-rates.test.ts': [],
  'test/simulation/chaos.test.ts': [],
  'test/simulation/rehearse.test.ts': [],
  'test/simulation/plan-agreement.test.ts': [],
  'test/simulation/large-account.test.ts': [],
  'test/simulation/edges.test.ts': [],
  'test/simulation/two-sources.test.ts': [],
  'test/simulation/learned-delays.test.ts': [],
  'test/simulation/unanswered.test.ts': [],
  'test/simulation/graphql-values.test.ts': [],
  'test/simulation/every-list.test.ts': [],
  'test/simulation/hanging-account.test.ts': [],
  'test/simulation/source-freshness.test.ts': [],
  'test/simulation/late-platform.test.ts': [],
  'test/simulation/graphql-latency.test.ts': [],
  'test/simulation/other-clients.test.ts': [],
  'test/simulation/chaos-durable.test.ts': [],
  'test/simulation/hostile-graphql.test.ts': [],
  'test/simulation/documented-families.test.ts': [],
  'test/exporter/state/damage.test.ts': [],
  'test/rules/rehearse/rehearse.test.ts': [],
  'test/exporter/backfill/backfill.test.ts': [],
  'test/exporter/series/memory.test.ts': [],
  'test/exporter/configuration/config.test.ts': [],
  'test/exporter/decode/decode-load.test.ts': [],
  'test/exporter/platform/client.test.ts': [],
  'test/exporter/rate-limit/expected-intervals.test.ts': [],
  'test/exporter/series/ledger-properties.test.ts': [],
};

/** What no costly test reads. Any other file that is not code concerns all of them. */
const UNCONCERNED = [/^docs\//, /^\.github\//, /^[^/]+\.md$/, /^test\/bench\/\w+\.md$/, /^LICENSE$/, /^grafana\/[^/]+\.png$/];

/** Code of these folders concerns those that import it; all other files, those in which a line above does not say otherwise. */
const CODE = /^(src|test|grafana\/source)\/.+\.(ts|js|mjs)$/;

/** A path in quotes: of an import of any kind, or of a thread. */
const QUOTED_PATH = /'(\.{1,2}\/[^'\n]+\.(?:ts|js|mjs))'/g;

/** What a file needs of the project: itself, and all that it imports, directly or not. */
export function needsOf(files, follow = () => true) {
  const needed = new Set();
  const open = [...files];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (needed.has(file) || !existsSync(join(ROOT, file))) continue;
    needed.add(file);
    if (!follow(file)) continue;
    for (const [, path] of readFileSync(join(ROOT, file), 'utf8').matchAll(QUOTED_PATH))
      open.push(relative(ROOT, join(ROOT, dirname(file), path)));
  }
  return needed;
}

/** The costly tests that no changed file concerns. */
export function unconcernedBy(changed) {
  return Object.entries(COSTLY)
    .filter(([test, commands]) => !changed.some((file) => concerns(file, test, commands)))
    .map(([test]) => test);
}

function concerns(file, test, commands) {
  if (!CODE.test(file)) return !UNCONCERNED.some((pattern) => pattern.test(file));
  if (file === test) return true;
  if (file.endsWith('.test.ts')) return false;
  const needed = needsFor(test, commands);
  // What is gone may have been needed.
  if (needed.has(file) || !existsSync(join(ROOT, file))) return true;
  // Helpers that are compiled and started as a program are imported by nobody: those beside one that is needed count.
  return file.startsWith('test/') && [...needed].some((other) => dirname(other) === dirname(file));
}

const known = new Map();

function needsFor(test, commands) {
  const needed =
    known.get(test) ??
    new Set([
      ...needsOf([test]),
      // The list of commands names all of them; each is loaded when it is called.
      ...needsOf(
        commands.length === 0 ? [] : ['src/main.ts', ...commands.map((name) => `src/commands/${name}.ts`)],
        (file) => file !== 'src/commands.ts',
      ),
    ]);
  known.set(test, needed);
  return needed;
}

/** The files that differ from the base, or why that is not known. */
export function changedFiles(environment, git = runGit) {
  if (environment.CI_ALL === 'true') return { reason: 'CI_ALL asks for all' };
  try {
    const head = git('rev-parse', 'HEAD');
    const base = environment.CI_BASE || git('merge-base', 'HEAD', mainBranch(git));
    if (!environment.CI_BASE && base === head) return { reason: 'this is main itself, and no CI_BASE is given' };
    const listed = [
      git('diff', '--name-only', '--no-renames', '-z', base, '--'),
      git('ls-files', '--others', '--exclude-standard', '-z'),
    ];
    return { base, files: listed.flatMap((list) => list.split('\0').filter((name) => name !== '')) };
  } catch (error) {
    return { reason: `what has changed is not known: ${error.message.trim().split('\n')[0]}` };
  }
}

function mainBranch(git) {
  const names = ['refs/remotes/origin/main', 'refs/heads/main'];
  const found = git('for-each-ref', '--format=%(refname)', ...names).split('\n');
  const name = names.find((each) => found.includes(each));
  if (name === undefined) throw new Error('there is no branch main');
  return name;
}

function runGit(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

if (process.argv[1] === import.meta.filename) {
  const { base, files, reason } = changedFiles(process.env);
  const leftOut = files === undefined ? [] : unconcernedBy(files);
  if (files === undefined) console.error(`every test runs: ${reason}`);
  else {
    console.error(`${files.length} files differ from ${base}, which concerns`);
    console.error(`${Object.keys(COSTLY).length - leftOut.length} of ${Object.keys(COSTLY).length} costly tests, and all others`);
    for (const test of leftOut) console.error(`left out: ${test}: nothing that it needs has changed`);
  }
  process.stdout.write(leftOut.join());
}
