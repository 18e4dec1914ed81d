import { type Workload, type WorkloadState, workloadBody } from '../account/items.ts';
import type { Account } from '../account/platform-account.ts';
import { fraction } from '../hash.ts';
import type { Platform } from '../http/platform.ts';
import { listedErrors } from '../http/reply.ts';
import type { Kind } from './crud.ts';

/**
 * Returns the edge's status for a hostname (specification 4.16): 200 if a workload with an application serves it, otherwise 404.
 * During a rollout, a request gets the old or the new configuration.
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
  // The share of the edge that has the change grows with time.
  return fraction(id, now) < (now - changed) / propagationMs ? workload : before;
}

function serves(state: WorkloadState, workloadDomain: string, hostname: string): boolean {
  const asked = hostname.toLowerCase();
  if (state.domains.some((domain) => domain.toLowerCase() === asked)) return true;
  return asked === workloadDomain && state.workload_domain_allow_access;
}

/** Returns the kind of specification 4.16, the only operation of version 4, whose path contains the version. */
export function workloads({ account }: Platform): Kind<Workload> {
  return {
    collection: account.workloads,
    versions: [],
    refusals: 'listed',
    verbs: ['update'],
    body: workloadBody,
    view: ({ id, name, domains, workload_domain, workload_domain_allow_access }) => ({
      ...{ id, name, domains, workload_domain, workload_domain_allow_access },
    }),
    envelope: (data) => ({ status: 202, body: { state: 'pending', data } }),
    check(fields, workload) {
      const refusal = workload && refusalOf(account, workload, fields);
      return refusal === undefined ? undefined : listedErrors(400, refusal);
    },
    noted({ now }, _fields, workload) {
      const { domains = [], workload_domain_allow_access = true } = workload ?? {};
      return { before: { domains, workload_domain_allow_access }, changed_at: now };
    },
  };
}

/** Returns the reason for a refusal in the words of section 7, those of the body last; undefined for a valid request. */
function refusalOf(account: Account, workload: Workload, fields: Partial<Workload>): string | undefined {
  if (workload.infrastructure === 'staging') {
    return 'A custom hostname is not available in the staging infrastructure environment.';
  }
  if (workload.application_id === null) return 'The deployment of the workload must name an application.';
  if (Object.keys(fields).length === 0) return 'Send domains, workload_domain_allow_access or both.';
  const refused = hostnameRefusal(account, workload, fields.domains ?? []);
  if (refused !== undefined) return refused;
  const { domains, workload_domain_allow_access: open } = { ...workload, ...fields };
  return open || domains.length > 0
    ? undefined
    : 'When workload hostname access is blocked, alternate domains or domains are required.';
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

function hostnameRefusal(account: Account, workload: Workload, hostnames: string[]): string | undefined {
  const conforms = (name: string) =>
    name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
  const malformed = hostnames.find((hostname) => !conforms(hostname));
  if (malformed !== undefined) return `The domain ${malformed} does not conform to RFC 1035.`;
  const incomplete = hostnames.find((hostname) => !hostname.includes('.'));
  if (incomplete !== undefined) return `The domain ${incomplete} is not a complete hostname.`;
  const foreign = hostnames.filter((hostname) => belongsToOthers(account, workload, hostname.toLowerCase()));
  return foreign.length === 0
    ? undefined
    : `The account is not allowed to use these CNAMEs: ${foreign.join(', ')}.`;
}

/** Returns true for hostnames of the platform itself or of another workload. */
function belongsToOthers({ workloads: all }: Account, workload: Workload, name: string): boolean {
  if (name.endsWith('.map.edge.example.net')) return true;
  return [...all].some(
    ({ id, domains }) => id !== workload.id && domains.some((domain) => domain.toLowerCase() === name),
  );
}
