import { plainNumber, plainShare } from '../text/figures.ts';
import type { AccountPlan } from './plan.ts';

/**
 * Cost of a process without accounts, and of each account (ms of CPU per minute, bytes), from `npm run bench`
 * (test/bench/RESULTS.md).
 */
const PROCESS = { cpuMs: 500, memory: 134e6 };
const ACCOUNT = { cpuMs: 0.7, memory: 180e3 };
const OPERATION_MS = 3;
const SERIES_BYTES = 1_000;

/** Maximum CPU (ms per minute) and memory (bytes) of a process, which leaves a margin for accounts of a lost process. */
const MOST = { cpuMs: 30_000, memory: 1e9 };

/** Part of that maximum that is available for accounts. */
const BESIDE = { cpuMs: MOST.cpuMs - PROCESS.cpuMs, memory: MOST.memory - PROCESS.memory };

/** Returns the resources that all accounts of a plan need together, and the number of processes. */
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
    /** Resources of one process that polls all accounts, in cores and in bytes. */
    cpu: (PROCESS.cpuMs + cpuMs) / 60_000,
    memory: PROCESS.memory + memory,
    /** Number of processes with at most half a core and 1 GB each. With a database, one more replica may be lost. */
    processes,
    replicas: processes + 1,
    /** Accounts that exceed a process by themselves, since an account is never divided. */
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

/** Returns the resources and the number of processes as text. */
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
