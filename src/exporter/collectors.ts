import { digitalCertificates } from './collectors/digital-certificates.ts';
import { domains } from './collectors/domains.ts';
import { edgeApplications } from './collectors/edge-applications.ts';
import { edgeFirewalls } from './collectors/edge-firewalls.ts';
import { edgeFunctions } from './collectors/edge-functions.ts';
import { errorResponses } from './collectors/error-responses.ts';
import { firewallRulesets } from './collectors/firewall-rulesets.ts';
import { hostedZones } from './collectors/hosted-zones.ts';
import { networkLists } from './collectors/network-lists.ts';
import { wafRulesets } from './collectors/waf-rulesets.ts';
import type { Job } from './poll/job.ts';
import type { Collector } from './settings/collector.ts';

/** Collectors of settings, by name in the configuration. New parts of the platform are added here. */
export const COLLECTORS = {
  domains,
  digital_certificates: digitalCertificates,
  edge_applications: edgeApplications,
  edge_functions: edgeFunctions,
  edge_firewalls: edgeFirewalls,
  firewall_rulesets: firewallRulesets,
  waf_rulesets: wafRulesets,
  network_lists: networkLists,
  hosted_zones: hostedZones,
  error_responses: errorResponses,
} as const satisfies Record<string, Collector>;

export type CollectorName = keyof typeof COLLECTORS;

/** Kind of work of a job. */
export type JobPart = 'discovery' | 'settings' | 'series' | 'other';

/** Returns the kind of work of a job. */
export function partOf({ subject: { collector } }: Job): JobPart {
  if (collector === 'discovery') return 'discovery';
  if (Object.hasOwn(COLLECTORS, collector)) return 'settings';
  return collector === 'metrics' || collector === 'analytics' ? 'series' : 'other';
}
