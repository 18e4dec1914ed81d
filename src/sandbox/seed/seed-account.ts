import { type Account, emptyAccount } from '../account/platform-account.ts';
import { fraction, keyOf } from '../hash.ts';
import type { AccountSize } from './account-size.ts';
import { originId, platformHostname } from './generated.ts';
import { addSecurity } from './seed-security.ts';
import { addServices } from './seed-services.ts';

const SITES = [
  'shop',
  'news',
  'video',
  'api',
  'static',
  'login',
  'blog',
  'images',
  'search',
  'docs',
] as const;

/** A realistic account, the same for the same seed and size. @param changed called after each later change */
export function seedAccount(seed: number, size: AccountSize, changed: () => void): Account {
  const state = { seeding: true };
  const account = emptyAccount(() => {
    if (!state.seeding) changed();
  });
  for (let site = 0; site < size.configurations; site++) addSite(account, seed, site, size);
  addServices(account, size);
  addSecurity(account);
  state.seeding = false;
  return account;
}

/** An application with its domains: a name that can be told apart, on every page and chart. */
function addSite(account: Account, seed: number, site: number, size: AccountSize): void {
  const round = Math.floor(site / SITES.length);
  const name = `${SITES[site % SITES.length]}${round === 0 ? '' : `-${round + 1}`}`;
  const application = addApplication(account, seed, site, name);
  for (let domain = 1; domain <= size.domainsPerConfiguration; domain++) {
    const id = account.domains.nextId();
    const suffix = domain === 1 ? '' : `${domain}`;
    account.domains.put({
      id,
      name: suffix === '' ? name : `${name}-${suffix}`,
      cnames: [`www${suffix}.${name}.example.com`],
      cname_access_only: domain > 1,
      digital_certificate_id: null,
      edge_application_id: application,
      is_active: true,
      domain_name: platformHostname(seed, id),
    });
  }
}

function addApplication(account: Account, seed: number, site: number, name: string): number {
  const key = keyOf(seed, `application ${site}`);
  const id = account.applications.nextId();
  account.applications.put({
    id,
    name,
    delivery_protocol: fraction(key, 1) < 0.8 ? 'http,https' : 'http',
    active: true,
    application_acceleration: fraction(key, 2) < 0.5,
    caching: true,
    device_detection: fraction(key, 3) < 0.2,
    edge_functions: site % 2 === 0,
    image_optimization: site % 3 !== 1,
    load_balancer: site % 2 === 0,
    origins: [{ name: 'Default Origin', origin_type: 'single_origin', origin_id: originId(seed, id) }],
  });
  return id;
}
