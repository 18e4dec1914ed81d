import { expect, it } from 'vitest';
import { type CpuWindow, costsOf } from './cpu-windows.ts';

const idle: CpuWindow = { cpu: 20, reads: 0, minuteBegins: false };
const tick: CpuWindow = { cpu: 50, reads: 0, minuteBegins: true };
const round: CpuWindow = { cpu: 120, reads: 100, minuteBegins: false };

it('a poll costs what a minute takes beyond what goes on without polls', () => {
  expect(costsOf([round, idle, idle, idle, tick, idle])).toEqual({
    perPoll: 1,
    polls: 100,
    idlePerMinute: 150,
  });
});

it('a collection of the heap long after the polls is no part of them, but of what goes on', () => {
  expect(costsOf([round, idle, { ...idle, cpu: 90 }, idle, tick, idle])).toEqual({
    perPoll: 1,
    polls: 100,
    idlePerMinute: 220,
  });
});

it('of a minute that the polls fill, or without any, nothing can be told', () => {
  const unknown = { perPoll: Number.NaN, idlePerMinute: Number.NaN };
  expect(costsOf([round, round, round, round, { ...round, minuteBegins: true }, round])).toMatchObject(
    unknown,
  );
  expect(costsOf([idle, idle, idle, idle, tick, idle])).toMatchObject(unknown);
  expect(costsOf([])).toMatchObject(unknown);
});
