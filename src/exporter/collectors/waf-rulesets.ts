import { z } from 'zod';
import { digest, flag, identifier, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const FAMILIES = [
  'sql_injection',
  'remote_file_inclusion',
  'directory_traversal',
  'cross_site_scripting',
  'evading_tricks',
  'file_upload',
  'unwanted_access',
  'identified_attack',
] as const;

type ThreatFamily = (typeof FAMILIES)[number];

const row = z
  .object({
    id: identifier,
    name: text,
    mode: text,
    active: flag,
    // Absent on some rule sets (section 2.8), which exempt nothing.
    whitelist: z.unknown().optional(),
    ...(Object.fromEntries(
      FAMILIES.flatMap((family) => [
        [family, flag],
        [`${family}_sensitivity`, text],
      ]),
    ) as Record<ThreatFamily, typeof flag> & Record<`${ThreatFamily}_sensitivity`, typeof text>),
  })
  .transform(({ whitelist, ...ruleset }) => ({
    ...ruleset,
    whitelist: digest(whitelist ?? null),
    whitelistBytes: bytesOf(whitelist ?? ''),
  }));

function bytesOf(rules: unknown): number | undefined {
  return typeof rules === 'string' ? Buffer.byteLength(rules) : undefined;
}

type Ruleset = z.output<typeof row>;

const { info, measured, measuredBy, related, switched } = seriesOf<Ruleset>('WAF rule sets');

/** WAF rule sets (sections 2.8 and 4.9). The text of their whitelists is only compared, never exposed. */
export const wafRulesets = settingsCollector({
  about: 'WAF rule sets: mode, families of threats and their sensitivity, size of the whitelist.',
  schedule: '*/5 * * * *',
  section: '4.9',
  version: 2,
  permission: 'View Security Settings',
  // One operation reads all rule sets of the account, so it is worth as much as a read of traffic.
  weight: 1,
  kind: 'waf_ruleset',
  things: 'WAF rule sets',
  list: '/waf/rulesets',
  row,
  // A change of the size is already a change of `whitelist`.
  unwatched: ['whitelistBytes'],
  series: [
    info('edge_waf_ruleset_info', 'A WAF rule set with its mode, always 1; join by waf_ruleset_id.', {
      mode: 'mode',
    }),
    switched('edge_waf_ruleset_active', 'a WAF rule set is active', 'active'),
    switched(
      'edge_waf_ruleset_blocking',
      'a WAF rule set blocks the threats that it detects',
      ({ mode }) => (mode === 'blocking' ? true : mode === 'counting' ? false : undefined),
      ' Absent for an unknown mode.',
    ),
    measured(
      'edge_waf_ruleset_whitelist_bytes',
      'Size of the rules that exempt matches from a WAF rule set, in bytes; 0 if it exempts nothing.',
      'whitelistBytes',
    ),
    measuredBy(
      'edge_waf_ruleset_family_enabled',
      '1 if a WAF rule set detects a family of threats, else 0.',
      'family',
      (ruleset) =>
        FAMILIES.flatMap((family) => {
          const on = ruleset[family];
          return on === null || on === undefined ? [] : [[family, Number(on)] as const];
        }),
    ),
    // Sensitivity is a label, not a value: there may be others than the five known ones, and their sum has no meaning.
    related(
      'edge_waf_ruleset_family_info',
      'Sensitivity of a WAF rule set to a family of threats (lowest, low, medium, high, highest), always 1.',
      (ruleset) =>
        FAMILIES.flatMap((family) => {
          const sensitivity = ruleset[`${family}_sensitivity`];
          return sensitivity ? [{ family, sensitivity }] : [];
        }),
    ),
  ],
});
