import { CHANGES } from './annotations.ts';
import type { Section } from './layout.ts';
import { LIMITS } from './limits.ts';
import { ACCOUNT, largest, of, once, sum } from './query.ts';
import { type Column, table } from './table.ts';
import { ON_OFF, WAF_MODES } from './words.ts';

const RULESET = 'account,waf_ruleset';
const FIREWALL = 'account,firewall';
const DOMAIN = 'account,domain_id';

const switched = (title: string, family: string, by: string, mappings = ON_OFF): Column => ({
  title,
  expr: largest(of(family, ACCOUNT), by),
  limits: LIMITS.shouldBeOne,
  mappings,
});

const rulesets = table({
  title: 'WAF rule sets',
  description:
    'Settings of each rule set. “counting” detects without stopping; a rule set that is off does neither. Families: number of threat families that it detects.',
  rows: { account: 'Account', waf_ruleset: 'Rule set' },
  sortedBy: 'Rule set',
  columns: [
    switched('Switch', 'edge_waf_ruleset_active', RULESET),
    switched('Mode', 'edge_waf_ruleset_blocking', RULESET, WAF_MODES),
    {
      title: 'Families',
      expr: sum(
        once(of('edge_waf_ruleset_family_enabled', ACCOUNT), `${RULESET},waf_ruleset_id,family`),
        RULESET,
      ),
    },
  ],
});

const firewalls = table({
  title: 'Firewalls',
  description:
    'Each edge firewall: its switch, its WAF, its network protection, and the number of domains that it protects.',
  rows: { account: 'Account', firewall: 'Firewall' },
  sortedBy: 'Firewall',
  columns: [
    switched('Switch', 'edge_firewall_active', FIREWALL),
    switched('WAF', 'edge_firewall_waf_enabled', FIREWALL),
    switched('Network', 'edge_firewall_network_protection_enabled', FIREWALL),
    {
      title: 'Domains',
      expr: sum(once(of('edge_firewall_domains', ACCOUNT), `${FIREWALL},firewall_id`), FIREWALL),
    },
  ],
});

const domains = table({
  title: 'Domains switched off',
  description:
    'Domains that are not active; “none” if all are active. An inactive domain has neither traffic nor protection.',
  rows: { account: 'Account', domain: 'Domain', domain_name: 'Host name' },
  widths: { Account: 120, Domain: 160 },
  sortedBy: 'Domain',
  noValue: 'none',
  columns: [
    {
      title: 'Switch',
      expr: `(${once(of('edge_domain_active', ACCOUNT), DOMAIN)} == 0) * on (${DOMAIN}) group_left (domain, domain_name) ${once(of('edge_domain_info', ACCOUNT), `${DOMAIN},domain,domain_name`)}`,
      limits: LIMITS.shouldBeOne,
      mappings: ON_OFF,
    },
  ],
});

const changes = table({
  title: 'Last changes of settings',
  description:
    'Last change of a setting of each kind, found between two reads. The marks in the graphs show the same.',
  unit: 'dateTimeFromNow',
  rows: { account: 'Account', setting: 'Setting' },
  columns: [{ title: 'Changed', expr: CHANGES }],
  sortedBy: 'Changed',
  noValue: 'none seen',
});

/** Section for the modes and switches of the protection. */
export const settings: Section = {
  title: 'Protection: modes and switches',
  shelves: [
    {
      height: 8,
      panels: [
        [12, rulesets],
        [12, firewalls],
      ],
    },
    {
      height: 7,
      panels: [
        [12, domains],
        [12, changes],
      ],
    },
  ],
};
