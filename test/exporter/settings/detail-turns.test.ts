import { expect, it } from 'vitest';
import { DetailTurns, turnSize } from '../../../src/exporter/settings/detail-turns.ts';

function rowsOf(count: number): Map<string, { id: string; name: string }> {
  return new Map(Array.from({ length: count }, (_, id) => [`${id}`, { id: `${id}`, name: 'as it was' }]));
}

function takeAll(turns: DetailTurns<string>, rows: Map<string, unknown>): string[] {
  const ids = turns.next(rows);
  for (const id of ids) turns.enter(id, rows.get(id), 'read');
  return ids;
}

it('reads an ordinary account whole every time, and a large one within twelve reads', () => {
  expect([0, 1, 50, 51, 600, 3_000].map(turnSize)).toEqual([0, 1, 50, 50, 50, 250]);
  const turns = new DetailTurns<string>();
  const rows = rowsOf(3_000);
  const seen = Array.from({ length: 12 }, () => takeAll(turns, rows)).flat();
  expect(new Set(seen).size).toBe(3_000);
  expect(takeAll(turns, rows)).toEqual(seen.slice(0, 250));
});

it('lets those go first whose row in the list has changed, then those never read', () => {
  const turns = new DetailTurns<string>();
  const rows = rowsOf(60);
  takeAll(turns, rows);
  rows.set('7', { id: '7', name: 'changed' });
  expect(takeAll(turns, rows).slice(0, 11)).toEqual([
    '7',
    ...Array.from({ length: 10 }, (_, n) => `${50 + n}`),
  ]);
});

it('lets an item that cannot be read wait for its next turn like the others', () => {
  const turns = new DetailTurns<string>();
  const rows = rowsOf(100);
  for (const id of turns.next(rows)) turns.miss(id);
  expect(turns.next(rows)).toEqual(Array.from({ length: 50 }, (_, n) => `${50 + n}`));
});

it('forgets what is not in the list any more', () => {
  const turns = new DetailTurns<string>();
  takeAll(turns, rowsOf(2));
  turns.next(rowsOf(1));
  expect([turns.detailOf('0'), turns.detailOf('1')]).toEqual(['read', undefined]);
});
