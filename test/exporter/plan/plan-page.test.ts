import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../../src/exporter/clock.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import { livePlan } from '../../../src/exporter/plan/live-plan.ts';
import { planText } from '../../../src/exporter/plan/text.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';

const PAGE = join(import.meta.dirname, '../../../docs/plan-and-doctor.md');
const BLOCK = /<!-- plan:begin -->.*<!-- plan:end -->/s;
const NOW = Date.UTC(2026, 0, 5, 10, 20, 30);

/** Configuration of an account with twelve domains and a limit of 100 operations per minute. */
const EXAMPLE = `accounts:
  - name: production
    api_url: https://api.example.net
    token: $\{EDGE_TOKEN}
    collectors:
      metrics:
        products:
          edge_applications: {}
          edge_functions: { schedule: "*/5 * * * *" }
      domains: {}
      waf_rulesets: {}
`;

async function printed(): Promise<string> {
  const rateLimit = { reads: 100, writes: 20, purges: 20 };
  const { url, close } = await createSandbox({ now: () => NOW, configurations: 6, rateLimit }).listen(0);
  onTestFinished(close);
  const [account] = CONFIG.parse(
    parse(EXAMPLE.replace('https://api.example.net', url).replace(/\$\{.*\}/, 'sandbox-token')),
  ).accounts;
  if (account === undefined) throw new Error('the example has no account');
  const plan = await livePlan({
    account,
    clock: systemClock,
    signal: new AbortController().signal,
    tell: () => undefined,
    guard: () => undefined,
  });
  if ('unreachable' in plan) throw new Error(plan.unreachable);
  return planText(plan).replaceAll(url, 'https://api.example.net');
}

it('shows what plan prints (npx vitest run test/exporter/plan/plan-page.test.ts -u brings it up to date)', async () => {
  const block = [
    '<!-- plan:begin -->',
    `\`\`\`yaml\n${EXAMPLE}\`\`\``,
    '',
    `\`\`\`\n$ edge-exporter plan --config.file=exporter.yaml\n${await printed()}\`\`\``,
    '<!-- plan:end -->',
  ];
  const page = readFileSync(PAGE, 'utf8').replace(BLOCK, () => block.join('\n'));
  await expect(page).toMatchFileSnapshot(PAGE);
});
