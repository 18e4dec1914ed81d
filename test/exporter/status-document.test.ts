import { describe, expect, it } from 'vitest';
import { parseStatusQuery, statusDocument } from '../../src/exporter/status-document.ts';
import { madeUpAccount, madeUpJob, madeUpStatus } from './page/made-up-status.ts';

const STATUS = madeUpStatus({
  accounts: ['a', 'b', 'c'].map((name) =>
    madeUpAccount({ name, jobs: [1, 2, 3].map((number) => madeUpJob({ id: `${name}${number}` })) }),
  ),
});

function asked(search: string) {
  const query = parseStatusQuery(search);
  if (!('offset' in query)) throw new Error(query.join());
  const { jobs, accounts } = statusDocument(STATUS, query);
  return { jobs, shown: accounts.map(({ name, jobs }) => [name, ...jobs.map(({ id }) => id)].join(' ')) };
}

describe('the status as a document', () => {
  it('holds everything of a small exporter', () => {
    expect(asked('')).toEqual({
      jobs: { total: 9, offset: 0, limit: 1_000, next: null },
      shown: ['a a1 a2 a3', 'b b1 b2 b3', 'c c1 c2 c3'],
    });
  });

  it('holds the part of the jobs that is asked for, and says how to ask for the next', () => {
    expect(asked('offset=2&limit=3')).toEqual({
      jobs: { total: 9, offset: 2, limit: 3, next: '?offset=5&limit=3' },
      shown: ['a a3', 'b b1 b2', 'c'],
    });
    expect(asked('account=b&limit=2')).toEqual({
      jobs: { total: 3, offset: 0, limit: 2, next: '?account=b&offset=2&limit=2' },
      shown: ['b b1 b2'],
    });
    expect(asked('account=b&offset=2&limit=2').jobs.next).toBeNull();
    expect(asked('account=nobody')).toMatchObject({ jobs: { total: 0 }, shown: [] });
  });

  it('shows every job once to who follows the parts', () => {
    const ids: string[] = [];
    for (let search: string | null = 'limit=2'; search !== null; ) {
      const { jobs, shown } = asked(search);
      ids.push(...shown.flatMap((account) => account.split(' ').slice(1)));
      search = jobs.next;
    }
    expect(ids).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
  });

  it.each([
    ['limit=0', ['limit: expected a whole number from 1 to 5000']],
    ['limit=5001', ['limit: expected a whole number from 1 to 5000']],
    [
      'offset=-1&limit=1.5',
      ['offset: expected a whole number from 0', 'limit: expected a whole number from 1 to 5000'],
    ],
    ['acount=a', ['unknown parameter acount; there are account, offset, limit']],
  ])('says what is wrong with %s', (search, issues) => {
    expect(parseStatusQuery(search)).toEqual(issues);
  });
});
