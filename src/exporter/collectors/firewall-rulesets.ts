import { z } from 'zod';
import { flag, identifier, members, optionalContent, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({
  id: identifier,
  name: text,
  is_active: flag,
  block_access_by_referer: flag,
  allow_blank_referer: flag,
  accepted_domains: members,
  geo_block: text,
  geo_countries: members,
  ip_blocking_rule: text,
  ip_blocking_addresses: members,
  require_secure_token: flag,
  secret: optionalContent,
});

type Ruleset = z.output<typeof row>;

const { counted, info, switched } = seriesOf<Ruleset>('firewall rule sets');

/** Legacy firewall rule sets (sections 2.7 and 4.8). Addresses and the secret are only compared, never exposed. */
export const firewallRulesets = settingsCollector({
  about: 'Legacy firewall rule sets: what they block and how many entries their lists have.',
  schedule: '*/10 * * * *',
  section: '4.8',
  version: 1,
  // The permission of the list is not documented; this is the permission of the single read.
  permission: 'View Security Settings',
  kind: 'firewall_ruleset',
  things: 'firewall rule sets',
  list: '/edge_firewall/rulesets',
  row,
  series: [
    info('edge_firewall_ruleset_info', 'A legacy firewall rule set, always 1; join by firewall_ruleset_id.', {
      geo_block: 'geo_block',
      ip_blocking_rule: 'ip_blocking_rule',
    }),
    switched('edge_firewall_ruleset_active', 'a legacy firewall rule set is active', 'is_active'),
    switched(
      'edge_firewall_ruleset_referer_blocking',
      'a legacy firewall rule set blocks by referrer',
      'block_access_by_referer',
    ),
    switched(
      'edge_firewall_ruleset_blank_referer_allowed',
      'a legacy firewall rule set allows requests without a referrer',
      'allow_blank_referer',
    ),
    switched(
      'edge_firewall_ruleset_secure_token_required',
      'a legacy firewall rule set requires a secure token',
      'require_secure_token',
    ),
    counted(
      'edge_firewall_ruleset_accepted_domains',
      'Number of referrers that a legacy firewall rule set accepts.',
      'accepted_domains',
    ),
    counted(
      'edge_firewall_ruleset_countries',
      'Number of countries that a legacy firewall rule set lists.',
      'geo_countries',
    ),
    counted(
      'edge_firewall_ruleset_addresses',
      'Number of addresses that a legacy firewall rule set lists.',
      'ip_blocking_addresses',
    ),
  ],
});
