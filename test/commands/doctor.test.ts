import { expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { callProgram } from './call-program.ts';

async function doctor(token: string, args: readonly string[] = [], isTTY = false) {
  const { url, close } = await createSandbox().listen(0);
  onTestFinished(close);
  const env = { EDGE_API_URL: url, EDGE_TOKEN: token };
  return callProgram(['doctor', ...args], { env, isTTY });
}

test('an account without problems ends with 0; each step is a line', async () => {
  const { exitCode, out, err } = await doctor('sandbox-token');
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  expect(out).toMatch(/^account default at http:.*\n {2}ok {7}configuration {14}environment is valid/);
  expect(out).toMatch(
    /\n {2}ok {7}plan {23}at least [\d.]+ operations per minute of reads are needed, 160 are available\nno problems\n$/,
  );
  expect(out).not.toContain('\u001b');
});

test('a problem ends with 1, in red on a terminal, and the token is nowhere', async () => {
  const { exitCode, out, err } = await doctor('s3cret-value', [], true);
  expect(exitCode).toBe(1);
  expect(out).toContain('  \u001b[31mproblem\u001b[0m  token ');
  const [step = ''] = /^.*problem.*token .*$/m.exec(out) ?? [];
  expect(out).toContain(`\nproblems, the first one first:\n${step}\n`);
  expect(out).toMatch(/\n1 problem\n$/);
  expect(out + err).not.toContain('s3cret');
});

test('JSON holds the same steps', async () => {
  const { exitCode, out } = await doctor('s3cret-value', ['--json']);
  expect(exitCode).toBe(1);
  const { accounts } = JSON.parse(out);
  expect(accounts).toMatchObject([{ account: 'default', ok: false }]);
  expect(accounts[0].steps.find(({ step }: { step: string }) => step === 'token').status).toBe('problem');
});

test('products that the source has nothing of are a warning, in one line', async () => {
  const { url, close } = await createSandbox({ restAnalytics: 'absent' }).listen(0);
  onTestFinished(close);
  const env = { EDGE_API_URL: url, EDGE_TOKEN: 'sandbox-token' };
  const { exitCode, out } = await callProgram(['doctor'], { env });
  expect(exitCode).toBe(0);
  expect(out).toMatch(
    /\n {2}warning {2}products {19}GraphQL has none of the metrics of cloud_storage, .*, load_balancer: nothing of them is read\n/,
  );
  expect(out).not.toContain('list of load_balancer');
  expect(out).toMatch(
    /\n {2}ok {7}source of metrics {10}GraphQL, at http.*: REST lists no configurations, GraphQL does\n/,
  );
  expect(out).toMatch(/\nno problems, 1 warning\n$/);
});

test('a web page with the headers of the limit is not the API', async () => {
  const { url, close } = await createSandbox({ faults: { html_error: {} } }).listen(0);
  onTestFinished(close);
  const { exitCode, out } = await callProgram(['doctor'], {
    env: { EDGE_API_URL: url, EDGE_TOKEN: 'sandbox-token' },
  });
  expect(exitCode).toBe(1);
  expect(out).toMatch(/problem {2}API .*unlike the platform's API: is api_url right\?/);
});
