import { expect, it } from 'vitest';
import {
  type Chosen,
  chooseSource,
  restoreChoice,
  SOURCE_AT_FIRST,
  type SourceEvidence,
  storeChoice,
} from '../../../src/exporter/series/source-choice.ts';

const NOTHING: SourceEvidence = {
  configured: 'auto',
  restLists: undefined,
  rest: undefined,
  graphql: undefined,
};
const GRAPHQL: Chosen = { source: 'graphql', why: 'REST answers 404 to the reads of series' };

it.each<[string, Partial<SourceEvidence>, Chosen, string, string]>([
  [
    'is the configured one, whatever answers',
    { configured: 'rest', rest: 'missing', graphql: 'answers' },
    SOURCE_AT_FIRST,
    'rest',
    'as configured',
  ],
  [
    'is the configured one, whatever is listed',
    { configured: 'graphql', restLists: true, rest: 'answers' },
    SOURCE_AT_FIRST,
    'graphql',
    'as configured',
  ],
  ['stays as it was before anything is known', {}, SOURCE_AT_FIRST, 'rest', SOURCE_AT_FIRST.why],
  ['stays as a restart has kept it before anything is known', {}, GRAPHQL, 'graphql', GRAPHQL.why],
  ['is REST where that answers', { rest: 'answers' }, GRAPHQL, 'rest', 'REST answers'],
  [
    'is REST where that answers, though GraphQL lists configurations',
    { rest: 'answers', restLists: false },
    SOURCE_AT_FIRST,
    'rest',
    'REST answers',
  ],
  [
    'is GraphQL where REST has no series and GraphQL has',
    { rest: 'missing', graphql: 'answers' },
    SOURCE_AT_FIRST,
    'graphql',
    GRAPHQL.why,
  ],
  [
    'stays where neither has series',
    { rest: 'missing', graphql: 'missing' },
    SOURCE_AT_FIRST,
    'rest',
    'neither REST nor GraphQL has series',
  ],
  [
    'stays where neither has series any more',
    { rest: 'missing', graphql: 'missing' },
    GRAPHQL,
    'graphql',
    'neither REST nor GraphQL has series',
  ],
  ['stays while GraphQL was not asked', { rest: 'missing' }, SOURCE_AT_FIRST, 'rest', SOURCE_AT_FIRST.why],
  [
    'is GraphQL where that alone lists configurations',
    { restLists: false },
    SOURCE_AT_FIRST,
    'graphql',
    'REST lists no configurations, GraphQL does',
  ],
  [
    'stays where REST lists configurations, until its series are read',
    { restLists: true },
    GRAPHQL,
    'graphql',
    GRAPHQL.why,
  ],
])('the source %s', (_, evidence, before, source, why) => {
  expect(chooseSource({ ...NOTHING, ...evidence }, before)).toEqual({ source, why });
});

it('is kept over a restart, and not known where the state holds something else', () => {
  expect(restoreChoice(JSON.parse(JSON.stringify(storeChoice(GRAPHQL))))).toEqual(GRAPHQL);
  for (const stored of [undefined, null, {}, { version: 1, source: 'rest', why: '' }])
    expect(restoreChoice(stored)).toBeUndefined();
});
