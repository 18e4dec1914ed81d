import { expect, test } from 'vitest';
import { openAccountState } from '../../../src/exporter/state/postgres-account.ts';
import { sealEntry } from '../../../src/exporter/state/records.ts';

/** The most rows that this database sends within the time of a statement. */
const MOST_ROWS = 3_000;

test('an entry of a queue that is damaged in the database has no value, and hides none of the others', async () => {
  const [good, bad] = [1, 2].map((n) => sealEntry({ key: ['queue', `${n}`], value: n }));
  const damaged = Buffer.from(bad?.[1] ?? []);
  damaged.writeUInt8(damaged.readUInt8(4) ^ 1, 4);
  const query = async (text: string, [, from]: readonly unknown[] = []) => {
    if (text.includes('exporter_state.write')) return [{ done: true }];
    const rows = [
      { name: good?.[0], value: good?.[1] },
      { name: bad?.[0], value: damaged },
    ];
    return from === 'queue/' ? rows : [];
  };
  const state = await openAccountState({ query, shown: 'a database' }, { account: 'a', token: '1' });
  expect(await state.range(['queue'], { limit: 9 })).toEqual([
    { key: ['queue', '1'], value: 1 },
    { key: ['queue', '2'], value: undefined },
  ]);
});

test('an account with more records than one statement can bring is loaded in pages', async () => {
  const entries = Array.from({ length: 4_000 }, (_, n) => sealEntry({ key: ['n', `${n}`], value: n }));
  const stored = new Map(entries);
  const names = [...stored.keys()].toSorted();
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
