import { analytics } from './analytics.ts';
import { applications } from './applications.ts';
import { certificates } from './certificates.ts';
import { conventions } from './conventions.ts';
import { deletions } from './deletions.ts';
import { dns } from './dns.ts';
import { domains } from './domains.ts';
import { errorResponses } from './error-responses.ts';
import { errors } from './errors.ts';
import { firewallRulesets } from './firewall-rulesets.ts';
import { firewalls } from './firewalls.ts';
import { functions } from './functions.ts';
import { limits } from './limits.ts';
import { lists } from './lists.ts';
import { metrics } from './metrics.ts';
import { networkLists } from './network-lists.ts';
import { permissions } from './permissions.ts';
import { purge } from './purge.ts';
import type { Row } from './row.ts';
import { series } from './series.ts';
import { service } from './service.ts';
import { states } from './states.ts';
import { tokens } from './tokens.ts';
import { versions } from './versions.ts';
import { wafRulesets } from './waf-rulesets.ts';
import { workloads } from './workloads.ts';

/** By what they are about, in the order of the specification. */
export const ROWS: Readonly<Record<string, readonly Row[]>> = {
  service,
  conventions,
  lists,
  tokens,
  permissions,
  domains,
  certificates,
  purge,
  applications,
  functions,
  firewalls,
  firewallRulesets,
  wafRulesets,
  networkLists,
  dns,
  series,
  analytics,
  metrics,
  errorResponses,
  workloads,
  states,
  deletions,
  errors,
  limits,
  versions,
};
