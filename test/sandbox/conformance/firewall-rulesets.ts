import { INTEGER, TEXT } from './expected.ts';
import type { Exchange, Row } from './row.ts';

const PATH = '/edge_firewall/rulesets';

/** An update of the second rule set, and what it answers. */
const patch = (body: object, has: object = body): Exchange => ({
  send: `PATCH ${PATH}/535`,
  version: 1,
  body,
  status: 200,
  has,
});
const refused = (field: string, value: unknown): Exchange => ({
  send: `PATCH ${PATH}/535`,
  version: 1,
  body: { [field]: value },
  status: 400,
  is: { [field]: [TEXT] },
});

/** Sections 2.7 and 4.8. */
export const firewallRulesets: readonly Row[] = [
  {
    section: '2.7',
    quotes: ['id · integer · read-only', 'name · string · required'],
    families: ['edge_firewall_ruleset_info'],
    steps: [
      patch({ id: 5, name: 'r' }, { id: 535, name: 'r' }),
      { send: `PUT ${PATH}/535`, version: 1, body: {}, status: 400, is: { name: [TEXT] } },
    ],
  },
  {
    section: '2.7',
    quotes: ['block_access_by_referer · boolean · true enables blocking based on the HTTP referrer'],
    families: ['edge_firewall_ruleset_referer_blocking'],
    steps: [patch({ block_access_by_referer: false }), refused('block_access_by_referer', 'x')],
  },
  {
    section: '2.7',
    quotes: [
      'allow_blank_referer · boolean · with referrer blocking on: true allows requests without a referrer, false blocks them',
    ],
    families: ['edge_firewall_ruleset_blank_referer_allowed'],
    steps: [patch({ allow_blank_referer: true }), refused('allow_blank_referer', 'x')],
  },
  {
    section: '2.7',
    quotes: [
      'accepted_domains · array of objects `{ url: string }` · with referrer blocking on: domains whose requests are released; wildcard patterns are used in samples',
    ],
    families: ['edge_firewall_ruleset_accepted_domains'],
    steps: [patch({ accepted_domains: [{ url: '*.example.org' }] }), refused('accepted_domains', ['x'])],
  },
  {
    section: '2.7',
    quotes: [
      'geo_block · string · `whitelist` (block all countries except those listed), `blacklist` (block only those listed), `disabled`',
    ],
    families: ['edge_firewall_ruleset_info{geo_block}'],
    steps: [
      ...['whitelist', 'blacklist', 'disabled'].map((geo_block) => patch({ geo_block })),
      refused('geo_block', 'maybe'),
    ],
  },
  {
    section: '2.7',
    quotes: ['geo_countries · array of strings · three-letter country codes (ISO 3166-1 alpha-3)'],
    families: ['edge_firewall_ruleset_countries'],
    steps: [patch({ geo_countries: ['BRA'] }), refused('geo_countries', ['BR'])],
  },
  {
    section: '2.7',
    quotes: [
      'ip_blocking_rule · string · `allow_from_all` (addresses in ip_blocking_addresses are blocked) or `deny_from_all` (only addresses in ip_blocking_addresses are allowed)',
    ],
    families: ['edge_firewall_ruleset_info{ip_blocking_rule}'],
    steps: [
      ...['allow_from_all', 'deny_from_all'].map((rule) => patch({ ip_blocking_rule: rule })),
      refused('ip_blocking_rule', 'x'),
    ],
  },
  {
    section: '2.7',
    quotes: [
      'ip_blocking_addresses · array of strings · IP addresses or CIDR masks; empty array blocks nothing',
    ],
    families: ['edge_firewall_ruleset_addresses'],
    steps: [
      patch({ ip_blocking_addresses: [] }),
      patch({ ip_blocking_addresses: ['192.0.2.1', '2001:db8::/32'] }),
      refused('ip_blocking_addresses', ['x']),
    ],
  },
  {
    section: '2.7',
    quotes: [
      'require_secure_token · boolean · true enables secure token validation',
      'secret · string or null · secret used to generate the hash when secure token validation is on; null otherwise',
    ],
    families: ['edge_firewall_ruleset_secure_token_required'],
    embedded: '400 to the validation without a secret',
    steps: [
      patch({ require_secure_token: false }, { secret: null }),
      {
        send: `PATCH ${PATH}/535`,
        version: 1,
        body: { require_secure_token: true },
        status: 400,
        is: { secret: [TEXT] },
      },
      patch({ require_secure_token: true, secret: 's' }),
    ],
  },
  {
    section: '2.7',
    quotes: ['is_active · boolean · true enables the rule set'],
    families: ['edge_firewall_ruleset_active'],
    steps: [patch({ is_active: false }), patch({ is_active: true })],
  },
  {
    section: '2.7',
    quotes: ['Default values of optional fields on overwrite: not shown.'],
    embedded: 'everything off and empty, the rule set active',
    steps: [
      {
        send: `PUT ${PATH}/535`,
        version: 1,
        body: { name: 'plain' },
        status: 200,
        is: {
          id: 535,
          name: 'plain',
          block_access_by_referer: false,
          allow_blank_referer: false,
          accepted_domains: [],
          geo_block: 'disabled',
          geo_countries: [],
          ip_blocking_rule: 'allow_from_all',
          ip_blocking_addresses: [],
          require_secure_token: false,
          secret: null,
          is_active: true,
        },
      },
    ],
  },
  {
    section: '4.8',
    quotes: [
      'GET · `/edge_firewall/rulesets` · - · 200 with a bare array of rule sets',
      'GET · `/edge_firewall/rulesets/:ruleset_id` · `:ruleset_id` number · 200 with a rule set',
    ],
    families: ['edge_firewall_ruleset_info'],
    steps: [
      { send: `GET ${PATH}`, version: 1, status: 200, has: [{ id: 534 }, { id: 535 }] },
      { send: `GET ${PATH}/534`, version: 1, status: 200, has: { id: INTEGER, name: TEXT } },
      { send: `GET ${PATH}/5`, version: 1, status: 404 },
    ],
  },
  {
    section: '4.8',
    quotes: [
      'DELETE · `/edge_firewall/rulesets/:ruleset_id` · rule set must not be in use · 204',
      'PUT · `/edge_firewall/rulesets/:ruleset_id` · all fields of 2.7; name required · 200 with the rule set',
      'PATCH · `/edge_firewall/rulesets/:ruleset_id` · any subset of the fields · 200 with the rule set',
    ],
    embedded: '409 while an edge application uses it; 405 to a POST',
    steps: [
      patch({}, { name: 'Signed downloads', require_secure_token: true }),
      { send: `PUT ${PATH}/535`, version: 1, body: { name: 'p' }, status: 200, has: { name: 'p' } },
      { send: `POST ${PATH}`, version: 1, body: { name: 'p' }, status: 405 },
      { send: `DELETE ${PATH}/534`, version: 1, status: 409 },
      { send: `DELETE ${PATH}/535`, version: 1, status: 204 },
    ],
  },
];
