import { describe, expect, it } from 'vitest';
import { DIMENSIONS, facesOf, families } from '../../../src/exporter/catalogue/catalogue.ts';
import { PLATFORM_FAMILIES } from '../../../src/exporter/catalogue/platform-families.ts';
import { COLLECTORS } from '../../../src/exporter/collectors.ts';
import { describeCatalogue } from '../../reference/catalogue-table.ts';

const SETTINGS = Object.values(COLLECTORS).flatMap((collector) => collector.families);
const ALL = [...families(), ...PLATFORM_FAMILIES, ...SETTINGS];
const byName = (name: string) => ALL.find((family) => family.name === name);

describe('the families of the catalogue', () => {
  it.each(ALL.map((family) => [family.name, family] as const))('%s is well named', (name, { type, help }) => {
    expect(name).toMatch(/^edge_[a-z][a-z0-9_]*[a-z0-9]$/);
    expect(name).not.toMatch(/exporter|__|gauge|counter|megabyte|bits|percent|_info_/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(help).toMatch(/^(?:1 if |[A-Z]).{20,}\.$/);
  });

  it('have names that are unique, also without _total as OpenMetrics has them', () => {
    const names = ALL.map(({ name }) => name.replace(/_total$/, ''));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('say in HELP which API metric they come from', () => {
    expect(byName('edge_requests_total')?.help).toContain(
      'analytics requests (total), metrics cdn_requests (total)',
    );
    expect(byName('edge_waf_threats_by_family_per_minute')?.help).toContain(
      'analytics/metrics waf (xss, rfi, sql, others)',
    );
    const early = /_(at_least|expected)_per_minute$/;
    for (const { name, help } of families()) if (!early.test(name)) expect(help, name).toContain('API');
  });

  it('point from the gauge to its counter', () => {
    const gauges = families().filter(({ help }) => help.includes('in the newest trusted bucket. Use'));
    expect(gauges.length).toBeGreaterThan(20);
    for (const { name, help } of gauges) {
      const other = / Use (\w+) for sums over time\./.exec(help)?.[1];
      expect(other, name).toBe(name.replace(/_per_minute$/, '_total'));
      expect(byName(other ?? '')?.type, name).toBe('counter');
    }
  });

  it('give no two dimensions of a metric the same series', () => {
    for (const [metric, dimensions] of Object.entries(DIMENSIONS)) {
      const series = dimensions.map((dimension) => {
        const { gauge, labels } = facesOf(metric, dimension, { scope: 'configuration' });
        return JSON.stringify([gauge.family.name, labels]);
      });
      expect(new Set(series).size, metric).toBe(dimensions.length);
    }
  });

  it('have the same label names in every series', () => {
    const labels = new Map<string, string>();
    for (const row of describeCatalogue()) {
      const names = row.labels.join();
      expect(labels.get(row.gauge) ?? names, row.gauge).toBe(names);
      labels.set(row.gauge, names);
    }
  });
});

describe('describeCatalogue', () => {
  it('has a row for each family of each metric, with its dimensions and products', () => {
    expect(describeCatalogue()).toContainEqual({
      metric: 'waf',
      dimensions: ['xss', 'rfi', 'sql', 'others'],
      products: ['content_delivery', 'edge_applications'],
      gauge: 'edge_waf_threats_by_family_per_minute',
      counter: 'edge_waf_threats_by_family_total',
      labels: ['family'],
    });
  });

  it('covers every metric and dimension once', () => {
    const covered = describeCatalogue().flatMap(({ metric, dimensions }) =>
      dimensions.map((name) => `${metric} ${name}`),
    );
    const expected = Object.entries(DIMENSIONS).flatMap(([metric, names]) =>
      names.map((name) => `${metric} ${name}`),
    );
    expect([...covered].sort()).toEqual([...expected].sort());
  });
});
