// What vitest's JSON reports of .ci/run say. `summary.mjs REPORT STATUS [SECOND_REPORT SECOND_STATUS]` ends with the line
// `N passed, N failed` and exits non-zero unless all is well; `summary.mjs --try-again REPORT` prints the files worth a
// second try, each with a NUL after it: none where there was also an error that no test caught.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** More files than these do not fail by chance. */
const MOST_FILES_TRIED_AGAIN = 3;

const [first, ...others] = process.argv.slice(2);
if (first === '--try-again') tryAgain(others[0]);
else summarize(readReport(first), ...others);

function tryAgain(path) {
  if (unhandledErrors(path) !== 0) return;
  const { testResults } = readReport(path);
  const failed = testResults.filter(hasFailed).map(({ name }) => relative(process.cwd(), name));
  if (failed.length <= MOST_FILES_TRIED_AGAIN) for (const file of failed) process.stdout.write(`${file}\0`);
}

function summarize(report, status, secondPath, secondStatus) {
  const second = secondPath === undefined ? undefined : readReport(secondPath);
  const filesTriedAgain = new Set(second?.testResults.map(({ name }) => name));
  const files = [
    ...report.testResults.filter(({ name }) => !filesTriedAgain.has(name)),
    ...(second?.testResults ?? []),
  ];
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length;

  const passed = count('passed');
  // A file that could not be loaded, or whose set-up failed, may list no failed test; it counts as one.
  const brokenFiles = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = count('failed') + brokenFiles;
  const skipped = tests.length - passed - count('failed');
  const decisive = second === undefined ? { report, status } : { report: second, status: secondStatus };
  const reason =
    (decisive.status !== '0' && `the tests exited ${decisive.status}`) ||
    (passed === 0 && 'no test has passed') ||
    (failed > 0 && 'a test has failed') ||
    (decisive.report.success !== true && 'the test report does not tell success');

  if (second !== undefined) {
    for (const file of report.testResults.filter(hasFailed)) {
      const names = file.assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
      for (const name of names.length > 0 ? names : ['(the file itself)']) {
        console.log(`failed at the first try: ${relative(process.cwd(), file.name)} > ${name}`);
      }
    }
  }
  if (reason) console.error(`failed: ${reason}`);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = reason ? Number(decisive.status) || 1 : 0;
}

function hasFailed({ status, assertionResults }) {
  return status === 'failed' || assertionResults.some((test) => test.status === 'failed');
}

/** How many errors no test caught; undefined where that is not known. */
function unhandledErrors(path) {
  try {
    return Number(readFileSync(`${path}.unhandled`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Without a whole report there were no tests, whatever the exit status says. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`no test report: ${error.message}`);
    return { testResults: [] };
  }
}
