import { plainNumber, plainShare } from '../text/figures.ts';
import type { AccountPlan } from './plan.ts';

/** Costs of a process by itself, and of each account (ms of CPU a minute, bytes), measured by `npm run bench`, test/bench/RESULTS.md. */
const PROCESS = { cpuMs: 500, memory: 134e6 };
const ACCOUNT = { cpuMs: 0.7, memory: 180e3 };
const OPERATION_MS = 3;
const SERIES_BYTES = 1_000;

/** Largest share of a core and of memory for a process: the rest is for accounts that it takes over when another is lost. */
const MOST = { cpuMs: 30_000, memory: 1e9 };

/** Rest of that for accounts. */
const BESIDE = { cpuMs: MOST.cpuMs - PROCESS.cpuMs, memory: MOST.memory - PROCESS.memory };

/** Returns the needs of all accounts of a plan together, and the number of processes. */
export function processesFor(plans: readonly AccountPlan[]) {
  const needs = plans.map(needOf);
  const sum = (of: (need: ReturnType<typeof needOf>) => number) =>
    needs.reduce((all, need) => all + of(need), 0);
  const [cpuMs, memory] = [sum((need) => need.cpuMs), sum((need) => need.memory)];
  const processes = Math.max(1, Math.ceil(cpuMs / BESIDE.cpuMs), Math.ceil(memory / BESIDE.memory));
  return {
    accounts: plans.length,
    operations_per_minute: sum((need) => need.operations),
    series: sum((need) => need.series),
    /** Needs of one process that polls all of them, in cores and in bytes. */
    cpu: (PROCESS.cpuMs + cpuMs) / 60_000,
    memory: PROCESS.memory + memory,
    /** Number of processes that take at most half a core and 1 GB each; on a database one of the replicas may be lost. */
    processes,
    replicas: processes + 1,
    /** Accounts that alone take more than that; an account is never divided. */
    too_large: needs
      .filter((need) => need.cpuMs > BESIDE.cpuMs || need.memory > BESIDE.memory)
      .map(({ account }) => account),
  };
}

function needOf({ account, scopes, rows }: AccountPlan) {
  const operations = scopes.reduce((sum, scope) => sum + scope.operations, 0);
  const series = rows.reduce((sum, row) => sum + (row.series ?? 0), 0);
  return {
    account,
    operations,
    series,
    cpuMs: ACCOUNT.cpuMs + OPERATION_MS * operations,
    memory: ACCOUNT.memory + SERIES_BYTES * series,
  };
}

/** Returns the same as text. */
export function processesText(together: ReturnType<typeof processesFor>): string {
  const { accounts, operations_per_minute, series, cpu, memory, processes, replicas, too_large } = together;
  const lines = [
    `${plainNumber(accounts)} accounts: ${plainNumber(operations_per_minute)} operations per minute, ${plainNumber(series)} series`,
    `  one process would take about ${plainShare(cpu)} of a core and ${plainNumber(memory / 1e6)} MB`,
    `  ${processes === 1 ? 'one process is enough' : `${plainNumber(processes)} processes share them`}; on a database ${plainNumber(replicas)} replicas, of which one may be lost`,
    ...too_large.map((account) => `  account ${account} alone takes more than a process should`),
  ];
  return `${lines.join('\n')}\n`;
}
