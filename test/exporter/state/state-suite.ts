import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE, type State } from '../../../src/exporter/state/state.ts';

/**
 * Describes the behaviour of every kind of state.
 * @param open opens a new, empty state
 */
export function describeState(kind: string, isDurable: boolean, open: () => Promise<State>): void {
  describe(`state ${kind}`, () => {
    let state: State;

    beforeEach(async () => {
      state = await open();
    });

    afterEach(() => state.close());

    it('says where it is kept', () => {
      expect(state.kind).toBe(isDurable ? 'durable' : 'memory');
      expect(state.note).toBeUndefined();
    });

    it('gives back what was committed, as a copy of its own', async () => {
      const value = {
        totals: [
          [0.1, 1_760_000_000_000],
          [12, 3],
        ],
        codes: { '200': 7 },
      };
      await state.commit([{ key: ['series', 'a'], value }]);
      const first = state.get(['series', 'a']);
      expect(first).toEqual(value);
      expect(first).not.toBe(state.get(['series', 'a']));
      expect(state.get(['series'])).toBeUndefined();
    });

    it('lists the keys under a prefix in their order, and only those', async () => {
      const keys = [['series', 'a', '~y'], ['series', 'a', 'x'], ['series', 'ab', 'x'], ['mark']];
      await state.commit(keys.map((key) => ({ key, value: 1 })));
      expect([...state.keys(['series', 'a'])]).toEqual([
        ['series', 'a', 'x'],
        ['series', 'a', '~y'],
      ]);
      expect([...state.keys([])]).toHaveLength(4);
      expect([...state.keys(['nothing'])]).toEqual([]);
    });

    it('removes an entry that is committed as undefined', async () => {
      await state.commit([
        { key: ['a'], value: 1 },
        { key: ['b'], value: 2 },
      ]);
      await state.commit([
        { key: ['a'], value: undefined },
        { key: ['never'], value: undefined },
      ]);
      expect(state.get(['a'])).toBeUndefined();
      expect([...state.keys([])]).toEqual([['b']]);
    });

    it('gives a queue back in ranges, in the order of its keys, beside what was committed with it', async () => {
      const entry = (n: number) => ({ key: [QUEUE, 'push', String(n).padStart(6, '0')], value: { n } });
      await state.commit([{ key: ['series', 'a'], value: 1 }, ...[3, 1, 2, 0].map(entry)]);
      await state.commit([{ key: [QUEUE, 'pusher', '0'], value: 'of another' }, entry(4)]);
      const first = await state.range([QUEUE, 'push'], { limit: 2 });
      expect(first).toEqual([entry(0), entry(1)]);
      const after = first.at(-1)?.key ?? [];
      expect(await state.range([QUEUE, 'push'], { limit: 9, after })).toEqual([2, 3, 4].map(entry));
      await state.commit(first.map(({ key }) => ({ key, value: undefined })));
      expect(await state.range([QUEUE, 'push'], { limit: 1 })).toEqual([entry(2)]);
      expect(await state.range([], { limit: 1 })).toEqual([entry(2)]);
    });

    it('reads entries by their keys, those of a queue too', async () => {
      const entries = ['a', 'b', 'c'].map((part) => ({ key: [QUEUE, 'push', part], value: part }));
      await state.commit(entries);
      const [a, , c] = entries;
      const found = await state.read([
        [QUEUE, 'push', 'c'],
        [QUEUE, 'push', 'a'],
        [QUEUE, 'none'],
      ]);
      expect(found.toSorted((one, other) => String(one.value).localeCompare(String(other.value)))).toEqual([
        a,
        c,
      ]);
      expect(await state.read([])).toEqual([]);
    });

    it('holds no queue in memory', async () => {
      await state.commit([{ key: [QUEUE, 'push', '0'], value: 1 }]);
      expect(state.get([QUEUE, 'push', '0'])).toBeUndefined();
      expect([...state.keys([])]).toEqual([]);
    });

    it('refuses a commit as a whole when one entry cannot be stored', async () => {
      const commit = state.commit([
        { key: ['good'], value: 1 },
        { key: [], value: 2 },
      ]);
      await expect(commit).rejects.toThrow(RangeError);
      expect(state.get(['good'])).toBeUndefined();
    });
  });
}
