import { z } from 'zod';
import { flag, identifier, seriesOf, text } from '../settings/collector.ts';
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
  last_editor: text,
  domains: z
    .array(identifier)
    .nullish()
    .transform((ids) => ids && [...new Set(ids)].sort()),
});

type Firewall = z.output<typeof row>;

const { edited, info, measured, modified, related, switched } = seriesOf<Firewall>('edge firewalls');

/** Edge firewalls (sections 2.6 and 4.7), and the domains that they protect. */
export const edgeFirewalls = settingsCollector({
  about: 'Edge firewalls: whether they are active, what is enabled in them, and which domains they protect.',
  schedule: '*/5 * * * *',
  section: '4.7',
  version: 3,
  permission: 'View Edge Firewall',
  // One operation reads all firewalls of the account, so it is worth as much as a read of traffic.
  weight: 1,
  kind: 'firewall',
  things: 'edge firewalls',
  list: '/edge_firewall',
  row,
  unwatched: ['last_modified', 'last_editor'],
  series: [
    info('edge_firewall_info', 'An edge firewall, always 1; join by firewall_id.', {}),
    switched('edge_firewall_active', 'an edge firewall is active', 'is_active'),
    switched('edge_firewall_waf_enabled', 'the WAF of an edge firewall is enabled', 'waf_enabled'),
    switched(
      'edge_firewall_network_protection_enabled',
      'the network protection of an edge firewall is enabled',
      'network_protection_enabled',
    ),
    switched(
      'edge_firewall_functions_enabled',
      'the edge functions of an edge firewall are enabled',
      'edge_functions_enabled',
    ),
    modified('firewall', 'an edge firewall', 'last_modified'),
    edited('firewall', 'an edge firewall', 'last_editor'),
    measured(
      'edge_firewall_domains',
      'Number of domains that an edge firewall protects.',
      ({ domains }) => domains?.length,
    ),
    related(
      'edge_firewall_domain_info',
      'A domain that an edge firewall protects, always 1; join by domain_id.',
      ({ domains }) => (domains ?? []).map((id) => ({ domain_id: id, configuration_id: id })),
    ),
  ],
});
