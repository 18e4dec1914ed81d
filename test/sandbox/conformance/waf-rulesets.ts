import { BOOLEAN, INTEGER, TEXT } from './expected.ts';
import type { Row } from './row.ts';

const THREATS = [
  'sql_injection',
  'remote_file_inclusion',
  'directory_traversal',
  'cross_site_scripting',
  'evading_tricks',
  'file_upload',
  'unwanted_access',
  'identified_attack',
];
const RULESET = {
  id: INTEGER,
  name: TEXT,
  mode: TEXT,
  active: BOOLEAN,
  ...Object.fromEntries(THREATS.map((threat) => [threat, BOOLEAN])),
  ...Object.fromEntries(THREATS.map((threat) => [`${threat}_sensitivity`, TEXT])),
};
const read = (id: number, has: object) => ({ send: `GET /waf/rulesets/${id}`, version: 2, status: 200, has });

/** Sections 2.8 and 4.9. */
export const wafRulesets: readonly Row[] = [
  {
    section: '2.8',
    quotes: ['id · integer · ', 'name · string · '],
    families: ['edge_waf_ruleset_info'],
    steps: [read(3, { id: 3, name: 'WAF of the shop' })],
  },
  {
    section: '2.8',
    quotes: ['mode · string · `blocking` or `counting`'],
    families: ['edge_waf_ruleset_info{mode}', 'edge_waf_ruleset_blocking'],
    embedded: 'changed by `PATCH /_sandbox/waf/rulesets/:id`',
    steps: [
      read(3, { mode: 'blocking' }),
      read(4, { mode: 'counting' }),
      { send: 'PATCH /_sandbox/waf/rulesets/3', body: { mode: 'counting' }, status: 200 },
      read(3, { mode: 'counting' }),
      { send: 'PATCH /_sandbox/waf/rulesets/3', body: { mode: 'off' }, status: 400 },
    ],
  },
  {
    section: '2.8',
    quotes: ['active · boolean · '],
    families: ['edge_waf_ruleset_active'],
    steps: [read(3, { active: true })],
  },
  {
    section: '2.8',
    quotes: [
      'sql_injection, remote_file_inclusion, directory_traversal, cross_site_scripting, evading_tricks, file_upload, unwanted_access, identified_attack · boolean · each threat family on or off',
    ],
    families: ['edge_waf_ruleset_family_enabled{family}'],
    steps: [
      read(3, Object.fromEntries(THREATS.map((threat) => [threat, true]))),
      read(4, { file_upload: false }),
    ],
  },
  {
    section: '2.8',
    quotes: [
      '`<family>_sensitivity` for each of the eight families above · string · `medium` is the value in use',
      'The allowed sensitivity values other than `medium`: not shown.',
    ],
    families: ['edge_waf_ruleset_family_info{sensitivity}'],
    embedded: '`lowest`, `low`, `medium`, `high` and `highest`, as seen in later answers',
    steps: [
      read(3, Object.fromEntries(THREATS.map((threat) => [`${threat}_sensitivity`, 'medium']))),
      read(4, { evading_tricks_sensitivity: 'low' }),
    ],
  },
  {
    section: '2.8',
    quotes: ['whitelist · string · optional; rule text that exempts matches; absent on some rule sets'],
    families: ['edge_waf_ruleset_whitelist_bytes'],
    steps: [
      { send: 'GET /waf/rulesets/3', version: 2, status: 200, is: { ...RULESET, whitelist: TEXT } },
      { send: 'GET /waf/rulesets/4', version: 2, status: 200, is: RULESET },
    ],
  },
  {
    section: '4.9',
    quotes: [
      'GET · `/waf/rulesets` · 200 with a bare array of WAF rule sets',
      'GET · `/waf/rulesets/:ruleset_id` · 200 with a WAF rule set; `:ruleset_id` number',
    ],
    families: ['edge_waf_ruleset_info'],
    embedded: '405 to every write',
    steps: [
      { send: 'GET /waf/rulesets', version: 2, status: 200, has: [RULESET, RULESET] },
      { send: 'GET /waf/rulesets/3', version: 2, status: 200, has: RULESET },
      { send: 'GET /waf/rulesets/5', version: 2, status: 404 },
      { send: 'PATCH /waf/rulesets/3', version: 2, body: { mode: 'counting' }, status: 405 },
    ],
  },
];
