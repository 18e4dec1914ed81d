import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { seriesKey } from '../parse-exposition.ts';
import { served } from '../served.ts';
import { simulate } from './simulation.ts';

const START = Date.UTC(2026, 0, 5, 10);
const MISSING = 'wafRequestsOthersAttacks';
const REFUSAL = `Cannot query field "${MISSING}" on type "WorkloadMetrics". Did you mean "wafRequestsXssAttacks", "wafRequestsRfiAttacks", "wafRequestsSqlAttacks" or "wafRequestsThreat"?`;

async function endpointWithoutField(now: () => number): Promise<string> {
  const sandbox = createSandbox({ now, configurations: 1 });
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const server = createServer(async (req, res) => {
    // A Date header would have the real time, but the platform's time is simulated.
    res.sendDate = false;
    res.setHeader('Content-Type', 'application/json');
    const body = await text(req);
    const detail = body.includes('__schema') ? 'introspection is disabled' : REFUSAL;
    if (detail !== REFUSAL || body.includes(MISSING)) {
      res.writeHead(400).end(JSON.stringify({ detail }));
      return;
    }
    const { authorization = '' } = req.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${platform.url}${req.url}`, { method: 'POST', body, headers });
    res.writeHead(answer.status).end(await answer.text());
  });
  return `http://127.0.0.1:${await served(server)}`;
}

it('loses the series of the one field that is unknown, and none of those that the refusal suggests', async () => {
  let now = () => START;
  const graphql_url = await endpointWithoutField(() => now());
  const simulation = await simulate({
    start: START,
    sandbox: { configurations: 1 },
    account: {
      source: 'graphql',
      graphql_url,
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } },
    },
  });
  now = () => simulation.clock.now();
  await simulation.minutes(12);
  const { samples } = await simulation.scrape();
  const keys = [...samples.keys()].map((key) => JSON.parse(key) as [string, [string, string][]]);
  const families = keys
    .filter(([name]) => name === 'edge_waf_threats_by_family_per_minute')
    .map(([, labels]) => new Map(labels).get('family'));
  expect(families.sort()).toEqual(['rfi', 'sql', 'xss']);
  expect(keys.map(([name]) => name)).toContain('edge_waf_threats_per_minute');
  const field = `workloadMetrics.${MISSING}`;
  const reason = { account: 'test', collector: 'metrics', field };
  expect(samples.get(seriesKey('edge_source_missing_field_info', reason))).toBe(1);
  expect(simulation.exporter().accounts()[0]?.sources[0]?.missing).toEqual([field]);
});
