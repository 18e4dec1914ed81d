import { CHANGES } from './annotations.ts';
import type { Section } from './layout.ts';
import { LIMITS } from './limits.ts';
import { ACCOUNT, of } from './query.ts';
import { table } from './table.ts';
import { ON_OFF } from './words.ts';

const domains = table({
  title: 'Domains switched off',
  description:
    'Domains that are not active, with their names. “none” where all are active; an inactive domain has neither traffic nor protection.',
  unit: 'short',
  rows: { account: 'Account', domain: 'Domain', domain_name: 'Host name' },
  sortedBy: 'Domain',
  noValue: 'none',
  columns: [
    {
      title: 'Active',
      expr: `(${of('edge_domain_active', ACCOUNT)} == 0) * on (account, domain_id) group_left (domain, domain_name) ${of('edge_domain_info', ACCOUNT)}`,
      limits: LIMITS.mustBeOne,
      mappings: ON_OFF,
    },
  ],
});

const rulesets = table({
  title: 'WAF rule sets',
  description:
    'Mode and switch of each rule set: “counting” detects without stopping, and a rule set that is off does neither.',
  unit: 'short',
  rows: { account: 'Account', waf_ruleset: 'Rule set', mode: 'Mode' },
  sortedBy: 'Rule set',
  columns: [
    {
      title: 'Switch',
      expr: `${of('edge_waf_ruleset_active', ACCOUNT)} * on (account, waf_ruleset_id) group_left (waf_ruleset, mode) ${of('edge_waf_ruleset_info', ACCOUNT)}`,
      limits: LIMITS.mustBeOne,
      mappings: ON_OFF,
    },
  ],
});

const firewalls = table({
  title: 'Firewalls',
  description: 'Whether each edge firewall is switched on.',
  unit: 'short',
  rows: { account: 'Account', firewall: 'Firewall' },
  sortedBy: 'Firewall',
  columns: [
    {
      title: 'Switch',
      expr: `${of('edge_firewall_active', ACCOUNT)} * on (account, firewall_id) group_left (firewall) ${of('edge_firewall_info', ACCOUNT)}`,
      limits: LIMITS.mustBeOne,
      mappings: ON_OFF,
    },
  ],
});

const changes = table({
  title: 'Last changes of settings',
  description:
    'When a setting of each kind last changed, as the exporter saw it between two reads. Marks in the graphs show the same.',
  unit: 'dateTimeFromNow',
  rows: { account: 'Account', setting: 'Setting' },
  columns: [{ title: 'Changed', expr: CHANGES }],
  sortedBy: 'Changed',
  noValue: 'none seen',
});

/** Modes and switches of the protection. */
export const estate: Section = {
  title: 'Protection: modes and switches',
  shelves: [
    {
      height: 8,
      panels: [
        [7, rulesets],
        [5, firewalls],
        [6, domains],
        [6, changes],
      ],
    },
  ],
};
