import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECTORS } from '../../src/collectors.ts';
import { knownMetrics } from '../dashboards/known-metrics.ts';
import { simulate } from '../simulation.ts';
import { analytics } from './conformance/analytics.ts';
import { applications } from './conformance/applications.ts';
import { certificates } from './conformance/certificates.ts';
import { conventions } from './conformance/conventions.ts';
import { deletions } from './conformance/deletions.ts';
import { dns } from './conformance/dns.ts';
import { domains } from './conformance/domains.ts';
import { errorResponses } from './conformance/error-responses.ts';
import { errors } from './conformance/errors.ts';
import { firewallRulesets } from './conformance/firewall-rulesets.ts';
import { firewalls } from './conformance/firewalls.ts';
import { functions } from './conformance/functions.ts';
import { limits } from './conformance/limits.ts';
import { lists } from './conformance/lists.ts';
import { metrics } from './conformance/metrics.ts';
import { networkLists } from './conformance/network-lists.ts';
import { permissions } from './conformance/permissions.ts';
import { purge } from './conformance/purge.ts';
import { conforms, type Row } from './conformance/row.ts';
import { series } from './conformance/series.ts';
import { service } from './conformance/service.ts';
import { states } from './conformance/states.ts';
import { tableOf } from './conformance/table.ts';
import { tokens } from './conformance/tokens.ts';
import { versions } from './conformance/versions.ts';
import { wafRulesets } from './conformance/waf-rulesets.ts';
import { workloads } from './conformance/workloads.ts';

/** By what they are about, in the order of the specification. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
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

for (const [about, rows] of Object.entries(ROWS)) describe(about, () => conforms(rows));

describe('docs/conformance.md', () => {
  const PAGE = join(import.meta.dirname, '../../docs/conformance.md');
  const all = Object.values(ROWS).flat();

  it('holds every sentence that a test quotes (-u behind the path writes it anew)', async () => {
    const page = await readFile(PAGE, 'utf8');
    const [intro = ''] = page.split('<!-- conformance -->');
    const text = `${intro}<!-- conformance -->\n${tableOf(all).join('\n')}\n`;
    await expect(text).toMatchFileSnapshot(PAGE);
  });

  const named = all.flatMap(({ families = [] }) => families.map((family) => family.split(/[{}]/)));

  it('names metrics that the exporter has', async () => {
    const known = await knownMetrics();
    expect(named.map(([family = '']) => family).filter((family) => !known.has(family))).toEqual([]);
  });

  it('names labels that a scrape of the exporter shows', async () => {
    const collectors = Object.keys(COLLECTORS).map((name) => [name, {}]);
    const simulation = await simulate({
      account: { collectors: { metrics: {}, ...Object.fromEntries(collectors) } },
    });
    try {
      await simulation.minutes(3);
      const series = [...(await simulation.scrape()).samples.keys()].map(
        (key) => JSON.parse(key) as [family: string, labels: [name: string, value: string][]],
      );
      const shown = new Set(
        series.flatMap(([family, labels]) => labels.map(([label]) => `${family} ${label}`)),
      );
      const labelled = named.filter(([, label]) => label).map(([family, label]) => `${family} ${label}`);
      expect(labelled.length).toBeGreaterThan(20);
      expect(labelled.filter((each) => !shown.has(each))).toEqual([]);
    } finally {
      await simulation.close();
    }
  });
});
