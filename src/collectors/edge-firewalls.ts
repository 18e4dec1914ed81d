import { z } from 'zod';
import { flag, identifier, text } from '../settings/item-fields.ts';
import { info, measured, modified, related, switched } from '../settings/setting-series.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({
  id: identifier,
  name: text,
  is_active: flag,
  waf_enabled: flag,
  network_protection_enabled: flag,
  edge_functions_enabled: flag,
  debug_rules: flag,
  last_modified: text,
  domains: z
    .array(identifier)
    .nullish()
    .transform((ids) => ids && [...new Set(ids)].sort()),
});

type Firewall = z.output<typeof row>;

/** Edge firewalls (sections 2.6 and 4.7): what protects which domains. */
export const edgeFirewalls = settingsCollector({
  about: 'Edge firewalls: whether they are active, what is enabled in them, and which domains they protect.',
  schedule: '*/5 * * * *',
  section: '4.7',
  version: 3,
  permission: 'View Edge Firewall',
  // One operation shows all firewalls of the account, so it matters as much as a read of traffic.
  weight: 1,
  kind: 'firewall',
  things: 'edge firewalls',
  list: '/edge_firewall',
  row,
  unwatched: ['last_modified'],
  series: [
    info(
      'edge_firewall_info',
      'An edge firewall, always 1; join by firewall_id. API: edge firewalls.',
      (_: Firewall) => ({}),
    ),
    switched(
      'edge_firewall_active',
      'Whether an edge firewall is active: 1 or 0. API: edge firewalls.',
      ({ is_active }: Firewall) => is_active,
    ),
    switched(
      'edge_firewall_waf_enabled',
      'Whether the WAF of an edge firewall is enabled: 1 or 0. API: edge firewalls.',
      ({ waf_enabled }: Firewall) => waf_enabled,
    ),
    switched(
      'edge_firewall_network_protection_enabled',
      'Whether the network protection of an edge firewall is enabled: 1 or 0. API: edge firewalls.',
      ({ network_protection_enabled }: Firewall) => network_protection_enabled,
    ),
    switched(
      'edge_firewall_functions_enabled',
      'Whether the edge functions of an edge firewall are enabled: 1 or 0. API: edge firewalls.',
      ({ edge_functions_enabled }: Firewall) => edge_functions_enabled,
    ),
    modified(
      'firewall',
      'an edge firewall',
      'edge firewalls (last_modified)',
      ({ last_modified }: Firewall) => last_modified,
    ),
    measured(
      'edge_firewall_domains',
      'How many domains an edge firewall protects. API: edge firewalls.',
      ({ domains }: Firewall) => domains?.length,
    ),
    related(
      'edge_firewall_domain_info',
      'A domain that an edge firewall protects, always 1; join by domain_id. API: edge firewalls.',
      ({ domains }: Firewall) => (domains ?? []).map((id) => ({ domain_id: id, configuration_id: id })),
    ),
  ],
});
