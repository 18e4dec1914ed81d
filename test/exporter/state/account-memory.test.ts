import { expect, it } from 'vitest';
import { AccountMemory, type MemoryPart } from '../../../src/exporter/state/account-memory.ts';
import type { StateReader } from '../../../src/exporter/state/state.ts';

it('opens a part once while the state cannot be read, once when it can be, and tells what it held after all', () => {
  let kind: StateReader['kind'] = 'unavailable';
  const opened: unknown[] = [];
  const get = () => (kind === 'unavailable' ? undefined : 'stored');
  const memory = new AccountMemory({
    get kind() {
      return kind;
    },
    get,
  });
  const part = {
    key: ['a'],
    open: (stored: unknown) => opened.push(stored),
  } as unknown as MemoryPart<number>;
  expect([memory.of(part), memory.of(part), memory.late(part)]).toEqual([1, 1, undefined]);
  kind = 'durable';
  expect([memory.of(part), memory.of(part)]).toEqual([2, 2]);
  expect([memory.late(part), memory.late(part)]).toEqual([3, 3]);
  expect(opened).toEqual([undefined, 'stored', 'stored']);
});

it('tells of nothing late where the state could be read from the beginning', () => {
  const memory = new AccountMemory({ kind: 'durable', get: () => 'stored' });
  expect(memory.late({ key: ['a'], open: () => 1 } as unknown as MemoryPart<number>)).toBeUndefined();
});
