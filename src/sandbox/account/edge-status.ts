import { fraction } from '../hash.ts';
import type { Workload, WorkloadState } from './delivery.ts';

/**
 * What the edge answers to a request for a hostname (specification 4.16): 200 when a workload with an application serves
 * it, otherwise 404. While a change is being rolled out a request meets the old or the new configuration.
 */
export function edgeStatus(
  workloads: Iterable<Workload>,
  hostname: string,
  { now, propagationMs }: { now: number; propagationMs: number },
): 200 | 404 {
  for (const workload of workloads) {
    if (workload.application_id === null) continue;
    if (serves(stateAt(workload, now, propagationMs), workload.workload_domain, hostname)) return 200;
  }
  return 404;
}

function stateAt(workload: Workload, now: number, propagationMs: number): WorkloadState {
  const { before, changed_at: changed, id } = workload;
  if (before === null || now >= changed + propagationMs) return workload;
  // The further the change has come, the more of the edge knows it.
  return fraction(id, now) < (now - changed) / propagationMs ? workload : before;
}

function serves(state: WorkloadState, workloadDomain: string, hostname: string): boolean {
  const asked = hostname.toLowerCase();
  if (state.domains.some((domain) => domain.toLowerCase() === asked)) return true;
  return asked === workloadDomain && state.workload_domain_allow_access;
}
