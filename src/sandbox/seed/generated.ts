import { hexDigits, keyOf } from '../hash.ts';

/** The hostname that the platform generates for a domain. */
export function platformHostname(seed: number, domain: number): string {
  return `${hexDigits(keyOf(seed, `domain ${domain}`), 7)}.map.edge.example.net`;
}

/** The identifier that an application's first origin gets. */
export function originId(seed: number, application: number): string {
  const digits = hexDigits(keyOf(seed, `origin ${application}`), 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What the platform sets for a new zone; the times are in seconds. */
export const ZONE_DEFAULTS = {
  nameservers: ['ns1.edge.example.net', 'ns2.edge.example.net', 'ns3.edge.example.net'],
  expiry: 1_209_600,
  nx_ttl: 3600,
  refresh: 43_200,
  retry: 7200,
  soa_ttl: 3600,
};

/** Lists that the platform provides: origin shield addresses, and exit nodes of anonymizing networks. */
export const SYSTEM_LISTS = { originShield: 187, anonymizers: 2 } as const;
