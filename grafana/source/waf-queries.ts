import type { Query } from './panel.ts';
import { mean, sum } from './query.ts';

const FAMILIES = {
  sql: 'SQL injection',
  xss: 'cross-site scripting',
  rfi: 'remote file inclusion',
  other: 'other attacks',
} as const;

/** Threats per minute of each family of attacks. */
export function familyQueries(matchers: string): readonly Query[] {
  return Object.entries(FAMILIES).map(([family, legend]) => ({
    expr: sum(mean('edge_waf_threats_by_family_per_minute', matchers, `family="${family}"`)),
    legend,
  }));
}
