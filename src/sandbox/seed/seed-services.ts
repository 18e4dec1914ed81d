import type { Account } from '../account/platform-account.ts';
import { hexDigits, keyOf } from '../hash.ts';
import type { AccountSize } from './account-size.ts';
import { ZONE_DEFAULTS } from './generated.ts';

/** Functions, DNS, workloads, and the configurations of products that have no resource of their own. */
export function addServices(account: Account, size: AccountSize): void {
  addFunctions(account, size.functions);
  for (let zone = 0; zone < size.zones; zone++) addZone(account, zone, size.recordsPerZone);
  addWorkloads(account);
  const others = [
    ['streams', 'access-log-to-storage'],
    ['streams', 'waf-events-to-siem'],
    ['buckets', 'video-archive'],
    ['channels', 'live-news'],
    ['channels', 'live-sports'],
  ] as const;
  for (const [kind, name] of others) {
    account.otherConfigurations.put({ id: account.otherConfigurations.nextId(), kind, name, active: true });
  }
}

/** Each function runs at another domain while there are enough of them. */
function addFunctions(account: Account, count: number): void {
  const domains = [...account.domains];
  for (let index = 0; index < count; index++) {
    const domain = domains[index * 2];
    account.functions.put({
      id: account.functions.nextId(),
      name: `${domain?.name ?? `spare-${index + 1}`}-headers`,
      language: 'javascript',
      code: 'addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));',
      json_args: { signing_key: hexDigits(keyOf(index, 'json_args'), 16) },
      function_to_run: '',
      initiator_type: 'edge_application',
      active: true,
      last_editor: 'operator@example.com',
      modified: '2025-12-27T19:44:04.427738Z',
      domains: domain === undefined ? [] : [domain.id],
    });
  }
}

function addZone(account: Account, index: number, records: number): void {
  const id = account.zones.nextId();
  const domain = index === 0 ? 'example.com' : `zone-${index + 1}.example.org`;
  account.zones.put({ id, name: `Zone of ${domain}`, domain, is_active: true, ...ZONE_DEFAULTS });
  for (let record = 0; record < records; record++) {
    const apex = record === 0;
    account.records.put({
      id: account.records.nextId(),
      zone_id: id,
      record_type: apex ? 'ANAME' : 'CNAME',
      entry: apex ? '@' : `host-${record}`,
      answers_list: [`${hexDigits(keyOf(id, `record ${record}`), 7)}.map.edge.example.net`],
      ttl: apex ? 20 : 3600,
    });
  }
}

/** One that serves a hostname, one without any, and one that is staged. */
function addWorkloads(account: Account): void {
  const [application] = account.applications;
  const workloads = [
    ['shop-front', ['front.shop.example.com'], 'production'],
    ['landing-page', [], 'production'],
    ['shop-front-next', [], 'staging'],
  ] as const;
  for (const [name, domains, infrastructure] of workloads) {
    const id = account.workloads.nextId();
    account.workloads.put({
      id,
      name,
      domains: [...domains],
      workload_domain: `${id}.map.edge.example.net`,
      workload_domain_allow_access: true,
      infrastructure,
      application_id: application?.id ?? null,
      before: null,
      changed_at: 0,
    });
  }
}
