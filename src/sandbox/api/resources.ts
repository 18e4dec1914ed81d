import type { Platform } from '../http/platform.ts';
import { resourceOf } from './crud.ts';
import { errorResponses } from './error-response-times.ts';
import * as kinds from './kinds.ts';
import { purge } from './purge.ts';
import type { Resource } from './resource-router.ts';
import { analytics, metrics } from './series-reads.ts';
import { tokens } from './tokens.ts';

/** Returns the routes of the API, also below `/v4`. The first match counts; the most used come first. */
export function resources(platform: Platform): readonly (readonly [path: string, Resource])[] {
  const { settings } = platform;
  const zones = resourceOf(settings, kinds.zones(platform));
  const records = resourceOf(settings, kinds.records(platform));
  return [
    ['/analytics', analytics(platform)],
    ['/metrics', metrics(platform)],
    ['/tokens', tokens(platform)],
    ['/domains', resourceOf(settings, kinds.domains(platform))],
    ['/content_delivery', errorResponses(platform)],
    ['/digital_certificates', resourceOf(settings, kinds.certificates(platform))],
    ['/purge', purge(platform)],
    ['/edge_applications', resourceOf(settings, kinds.applications(platform))],
    ['/edge_functions', resourceOf(settings, kinds.functions(platform))],
    ['/edge_firewall/rulesets', resourceOf(settings, kinds.firewallRulesets(platform))],
    ['/edge_firewall', resourceOf(settings, kinds.firewalls(platform))],
    ['/waf/rulesets', resourceOf(settings, kinds.wafRulesets(platform))],
    ['/network_lists', resourceOf(settings, kinds.networkLists(platform))],
    ['/intelligent_dns', { ...zones, operations: [...zones.operations, ...records.operations] }],
  ];
}
