import { expect, test } from 'vitest';
import { openAccountState } from '../../../src/exporter/state/postgres-account.ts';
import { packEntry } from '../../../src/exporter/state/records.ts';

const MOST_ROWS = 3_000;

test('a record that cannot be decoded is set aside, and an entry of a queue has no value; neither hides the others', async () => {
  const rows = ['queue', 'n'].flatMap((first) =>
    [1, 2].map((n) => {
      const [name, bytes = Buffer.of()] = packEntry({ key: [first, `${n}`], value: [n] });
      return { name, value: n === 2 ? Buffer.from(bytes).subarray(0, 1) : bytes };
    }),
  );
  const written: unknown[][] = [];
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.includes('exporter_state.write')) {
      written.push(values.slice(3));
      return [{ done: true }];
    }
    const [, from, until] = values;
    return rows.filter(({ name }) => name >= String(from) && name < String(until));
  };
  const state = await openAccountState({ query, shown: 'a database' }, { account: 'a', token: '1' });
  expect(await state.range(['queue'], { limit: 9 })).toEqual([
    { key: ['queue', '1'], value: [1] },
    { key: ['queue', '2'], value: undefined },
  ]);
  expect([state.get(['n', '1']), [...state.keys([])]]).toEqual([[1], [['n', '1']]]);
  expect(written.at(-1)).toEqual([['n/2/'], ['damaged/n/2/'], [Buffer.of(0x91)]]);
  expect(state.note).toBe(
    '1 records of the state in a in a database cannot be decoded and were set aside: their counters start from zero',
  );
});

test('an account with more records than one statement can bring is loaded in pages', async () => {
  const entries = Array.from({ length: 4_000 }, (_, n) => packEntry({ key: ['n', `${n}`], value: n }));
  const stored = new Map<unknown, unknown>(entries);
  const names = entries.map(([name]) => name).toSorted();
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.includes('exporter_state.write')) return [{ done: true }];
    const [, from, until, limit] = values;
    const found = names
      .filter((name) => name >= String(from) && name < String(until))
      .slice(0, Number(limit));
    if (found.length > MOST_ROWS) throw new Error('no answer in time');
    return found.map((name) => ({ name, value: stored.get(name) }));
  };
  const state = await openAccountState({ query, shown: 'a database' }, { account: 'a', token: '1' });
  expect([...state.keys([])].map((key) => state.get(key)).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 4_000 }, (_, n) => n),
  );
});
