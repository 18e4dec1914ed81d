import { describe, expect, it } from 'vitest';
import { queryWindow } from '../../../src/sandbox/http/request-parts.ts';
import { NOON } from '../client.ts';

const HOUR = 3_600_000;

describe('the window of a query', () => {
  it.each([
    ['last-hour', 1],
    ['last-3-hours', 3],
    ['last-6-hours', 6],
    ['last-24-hours', 24],
    ['last-3-days', 72],
    ['last-7-days', 168],
    ['last-15-days', 360],
    ['last-30-days', 720],
  ])('%s ends now', (date_from, hours) => {
    expect(queryWindow({ date_from }, NOON, 0)).toEqual({ from: NOON - hours * HOUR, to: NOON });
  });

  it('takes UTC and local timestamps, and ends now unless told', () => {
    const from = Date.UTC(2026, 10, 20, 9, 30);
    expect(queryWindow({ date_from: '2026-11-20T09:30Z' }, NOON, 0)).toEqual({ from, to: NOON });
    const local = { date_from: '2026-11-20T06:30', date_to: 'now' };
    expect(queryWindow(local, NOON, -3 * HOUR)).toEqual({ from, to: NOON });
    const both = { date_from: '2026-11-20T09:30Z', date_to: '2026-11-20T10:30Z' };
    expect(queryWindow(both, NOON, 0)).toEqual({ from, to: from + HOUR });
  });

  it.each([
    [{}, 'date_from', 'required'],
    [{ date_from: 'yesterday' }, 'date_from', 'Neither'],
    [{ date_from: 'toString' }, 'date_from', 'Neither'],
    [{ date_from: '2026-11-20T09:30:00Z' }, 'date_from', 'Neither'],
    [{ date_from: '2026-02-30T09:30Z' }, 'date_from', 'Neither'],
    [{ date_from: 'last-hour', date_to: 'now' }, 'date_to', 'Leave it out'],
    [{ date_from: '2026-11-20T09:30Z', date_to: 'later' }, 'date_to', 'Neither'],
    [{ date_from: '2026-11-20T09:30Z', date_to: '2026-11-20T09:29Z' }, 'date_to', 'before'],
  ])('refuses %j because of %s', (query, parameter, problem) => {
    expect(queryWindow(query, NOON, 0)).toEqual({ parameter, problem: expect.stringContaining(problem) });
  });
});
