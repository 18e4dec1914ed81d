// Sums up Vitest's JSON reports of several suites. `summary.mjs REPORT STATUS [REPORT STATUS]… [--again REPORT STATUS]` ends
// with the line `N passed, N failed`, and fails unless all tests passed. `--again` names the second run of some files of the
// last suite. `summary.mjs --try-again REPORT` prints the files to repeat, each with a NUL after it; none if there was also an
// unhandled error.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Most failed files that are repeated. More do not fail by chance. */
const MOST_FILES_TRIED_AGAIN = 3;

const [first, ...others] = process.argv.slice(2);
if (first === '--try-again') tryAgain(others[0]);
else summarize([first, ...others]);

function tryAgain(path) {
  if (unhandledErrors(path) !== 0) return;
  const { testResults } = readReport(path);
  const failed = testResults.filter(hasFailed).map(({ name }) => relative(process.cwd(), name));
  if (failed.length <= MOST_FILES_TRIED_AGAIN) for (const file of failed) process.stdout.write(`${file}\0`);
}

function summarize(args) {
  const suites = [];
  for (let rest = args; rest.length > 0; ) {
    const isAgain = rest[0] === '--again';
    const [path, status] = isAgain ? rest.slice(1) : rest;
    const suite = { ...readReport(path), path, status };
    if (isAgain) suites.push(withSecondTry(suites.pop(), suite));
    else suites.push(suite);
    rest = rest.slice(isAgain ? 3 : 2);
  }
  const reasons = suites.flatMap((suite) => reasonsOf(suite).map((reason) => `${suite.path}: ${reason}`));
  for (const reason of reasons) console.error(`failed: ${reason}`);
  const total = (of) => suites.reduce((sum, suite) => sum + of(countsOf(suite)), 0);
  const skipped = total((counts) => counts.skipped);
  console.log(
    `${total(({ passed }) => passed)} passed, ${total(({ failed }) => failed)} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  );
  process.exitCode = reasons.length === 0 ? 0 : Number(suites.find(({ status }) => status !== '0')?.status) || 1;
}

/** Returns the results with those of the second run for its files. */
function withSecondTry(suite, second) {
  for (const file of suite.testResults.filter(hasFailed)) {
    const names = file.assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    for (const name of names.length > 0 ? names : ['(the file itself)'])
      console.log(`failed at the first try: ${relative(process.cwd(), file.name)} > ${name}`);
  }
  const triedAgain = new Set(second.testResults.map(({ name }) => name));
  const others = suite.testResults.filter(({ name }) => !triedAgain.has(name));
  return { ...second, testResults: [...others, ...second.testResults] };
}

function reasonsOf(suite) {
  const { passed, failed } = countsOf(suite);
  return [
    ...(suite.status === '0' ? [] : [`the tests exited ${suite.status}`]),
    ...(passed === 0 ? ['no test has passed'] : []),
    ...(failed > 0 ? ['a test has failed'] : []),
    ...(suite.success === true ? [] : ['the test report does not tell success']),
  ];
}

function countsOf({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (status) => tests.filter((test) => test.status === status).length;
  // A file that could not be loaded, or whose set-up failed, may list no failed test; it counts as one.
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return {
    passed: of('passed'),
    failed: of('failed') + brokenFiles,
    skipped: tests.length - of('passed') - of('failed'),
  };
}

function hasFailed({ status, assertionResults }) {
  return status === 'failed' || assertionResults.some((test) => test.status === 'failed');
}

/** Returns the number of unhandled errors; undefined if it is unknown. */
function unhandledErrors(path) {
  try {
    return Number(readFileSync(`${path}.unhandled`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the report; without a whole one no test counts. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`no test report: ${error.message}`);
    return { testResults: [] };
  }
}
