import { expect, it } from 'vitest';
import { SANDBOX_ACCOUNT } from '../../src/commands/sandbox.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

it('the first minutes of npm start: everything is read, the plan fits, nothing fails or is warned of', async () => {
  const { name: _, ...account } = SANDBOX_ACCOUNT;
  simulation = await simulate({ account });
  await simulation.minutes(5);
  expect(simulation.log.filter(({ level }) => level !== 'info')).toEqual([]);
  const jobs = simulation.exporter().accounts()[0]?.jobs ?? [];
  expect(jobs.length).toBeGreaterThan(150);
  const read = jobs.slice().filter(({ collector }) => collector !== 'reconciliation');
  expect(read.filter(({ last_outcome }) => last_outcome !== 'ok' && last_outcome !== 'empty')).toEqual([]);
});
