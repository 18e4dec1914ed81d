import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { committed, queriesOf } from './committed.ts';
import { knownMetrics } from './known-metrics.ts';
import { selectorsOf } from './promql.ts';

const QUERIES = committed().flatMap(queriesOf);
const VARIABLES = committed().flatMap(({ dashboard }) =>
  (dashboard.templating?.list ?? []).flatMap(
    ({ definition }) => /^label_values\((.+), \w+\)$/.exec(definition ?? '')?.[1] ?? [],
  ),
);

const USED = new Set(
  [...QUERIES.map(({ expr }) => expr), ...VARIABLES]
    .flatMap(selectorsOf)
    .flatMap(({ metric }) => metric ?? []),
);

it('asks only for metrics that the exporter, Prometheus or the recording rules have', async () => {
  const known = knownMetrics();
  expect([...USED].filter((name) => !known.has(name))).toEqual([]);
});

it('uses the families that operators look for first', () => {
  expect([...USED]).toEqual(
    expect.arrayContaining([
      'edge_requests_per_minute',
      'edge_responses_per_minute',
      'edge_waf_threats_by_family_per_minute',
      'edge_api_ratelimit_remaining',
      'edge_exporter_polls_total',
    ]),
  );
});

it('draws pictures when series are there that the rules still record', async () => {
  const demonstration = join(import.meta.dirname, '../../grafana/pictures/demonstration.ts');
  const awaited = [...(await readFile(demonstration, 'utf8')).matchAll(/yields: '(\S+)'/g)];
  expect(awaited.length).toBeGreaterThan(2);
  const known = knownMetrics();
  expect(awaited.filter(([, name = '']) => !known.has(name))).toEqual([]);
});
