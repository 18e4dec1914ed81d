import type { Account } from './platform-account.ts';

/** Removes an edge application with everything associated with it (specification section 3, rule 1). */
export function removeApplication(account: Account, id: number): void {
  for (const domain of [...account.domains]) {
    if (domain.edge_application_id === id) removeDomain(account, domain.id);
  }
  for (const ruleset of account.firewallRulesets) {
    ruleset.used_by = ruleset.used_by.filter((application) => application !== id);
  }
  for (const workload of account.workloads) {
    if (workload.application_id === id) workload.application_id = null;
  }
  account.errorResponses.remove(id);
  account.applications.remove(id);
}

/** Removes a domain, also from the firewalls and functions that name it. */
export function removeDomain(account: Account, id: number): void {
  for (const kind of [account.firewalls, account.functions]) {
    for (const item of kind) item.domains = item.domains.filter((domain) => domain !== id);
  }
  account.domains.remove(id);
}

/** Removes a hosted zone with its records. */
export function removeZone(account: Account, id: number): void {
  for (const record of [...account.records]) {
    if (record.zone_id === id) account.records.remove(record.id);
  }
  account.zones.remove(id);
}
