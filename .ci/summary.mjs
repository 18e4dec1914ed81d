// The last line of .ci/run, from vitest's JSON report: `N passed, N failed`. Exits non-zero unless all is well.
import { readFileSync } from 'node:fs';

const [path, status] = process.argv.slice(2);
const report = readReport();
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
const count = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length;

const passed = count('passed');
// A file that could not be loaded, or whose set-up failed, may list no failed test; it counts as one.
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = count('failed') + brokenFiles;
const skipped = tests.length - passed - count('failed');
const reason =
  (status !== '0' && `npm cit exited ${status}`) ||
  (passed === 0 && 'no test has passed') ||
  (failed > 0 && 'a test has failed') ||
  (report.success !== true && 'the test report does not tell success');

if (reason) console.error(`failed: ${reason}`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = reason ? Number(status) || 1 : 0;

/** Without a whole report there were no tests, whatever the exit status says. */
function readReport() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`no test report: ${error.message}`);
    return { testResults: [] };
  }
}
