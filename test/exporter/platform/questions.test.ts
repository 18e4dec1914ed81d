import { expect, it, onTestFinished } from 'vitest';
import { datasetQuestion, resourceOf, SCHEMA_QUESTION } from '../../../src/exporter/graphql/question.ts';
import { simulate } from '../../simulation/simulation.ts';

it('sends nothing by POST but questions that only read, and those to one path', async () => {
  const simulation = await simulate({
    sandbox: { configurations: 2 },
    account: { source: 'graphql' },
  });
  onTestFinished(() => simulation.close());
  await simulation.minutes(10);
  const { recent, byMethod } = simulation.sandbox.requests;
  expect([...byMethod.keys()].sort()).toEqual(['GET', 'POST']);
  const posted = recent.filter(({ method }) => method === 'POST');
  expect(posted.length).toBeGreaterThan(5);
  expect([...new Set(posted.map(({ path }) => path))]).toEqual(['/metrics/graphql']);
});

it.each(['mutation { deleteEverything }', 'query { a } mutation { b }', 'subscription { a }', '{ a }'])(
  'refuses to send %s',
  (document) => {
    expect(() => resourceOf({ document, variables: {} })).toThrow('only reads');
  },
);

it('names configurations as texts that cannot end where they should not', () => {
  const { document } = datasetQuestion({
    dataset: 'workloadMetrics',
    key: 'configurationId',
    fields: ['requestsTotal'],
    summed: undefined,
    window: { from: 0, to: 60_000 },
    ids: ['1"]}) { ts } }'],
    limit: 10,
  });
  expect(document).toContain(String.raw`configurationIdIn: ["1\"]}) { ts } }"]`);
  expect(() => resourceOf(SCHEMA_QUESTION)).not.toThrow();
});
