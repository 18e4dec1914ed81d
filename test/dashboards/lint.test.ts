import { DashboardBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { describe, expect, it } from 'vitest';
import { annotationsOf, type Committed, committed, queriesOf, targetsOf } from './committed.ts';
import { EXCEPTIONS, type Exception } from './lint-exceptions.ts';
import { type Finding, RULES } from './lint-rules.ts';
import { type Selector, selectorsOf } from './promql.ts';

const DASHBOARDS = committed();

function covers(exception: Exception, rule: string, file: string, { where }: Finding): boolean {
  return (
    exception.rule === rule &&
    exception.file === file &&
    (exception.where === undefined || exception.where === where)
  );
}

describe.each(Object.entries(RULES))('%s', (rule, check) => {
  it.each(DASHBOARDS)('holds in $file', (one) => {
    const findings = check(one).filter(
      (finding) => !EXCEPTIONS.some((exception) => covers(exception, rule, one.file, finding)),
    );
    expect(findings).toEqual([]);
  });
});

it('has no exception that is not needed', () => {
  const unneeded = EXCEPTIONS.filter((exception) => {
    const one = DASHBOARDS.find(({ file }) => file === exception.file);
    const findings = one && RULES[exception.rule]?.(one);
    return !findings?.some((finding) => covers(exception, exception.rule, exception.file, finding));
  });
  expect(unneeded).toEqual([]);
});

it('gives each dashboard a uid of its own', () => {
  const uids = DASHBOARDS.map(({ dashboard }) => dashboard.uid);
  expect(new Set(uids).size).toBe(4);
});

describe.each(DASHBOARDS)('$file', (one) => {
  const { dashboard, panels } = one;

  it('gives each panel an id, and each target of a panel a letter of its own', () => {
    const ids = (dashboard.panels ?? []).map(({ id }) => id);
    expect(ids.every((id) => Number.isInteger(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    for (const panel of panels) {
      const letters = targetsOf(panel).map(({ refId }) => refId);
      expect(letters.every((letter) => /^[A-Z]$/.test(letter ?? ''))).toBe(true);
      expect(new Set(letters).size).toBe(letters.length);
    }
  });

  it('calls each panel something else', () => {
    const titles = panels.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it('lets no panel lie on another, or beyond the grid', () => {
    const taken = new Set<string>();
    for (const { gridPos } of dashboard.panels ?? []) {
      if (gridPos === undefined) throw new Error('a panel without a place');
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (const cell of cellsOf(gridPos)) {
        expect(taken.has(cell)).toBe(false);
        taken.add(cell);
      }
    }
  });

  it('links to the other three with time and variables', () => {
    expect(dashboard.links).toHaveLength(3);
    for (const link of dashboard.links ?? []) {
      expect(link).toMatchObject({ keepTime: true, includeVars: true });
      expect(DASHBOARDS.map((other) => `/d/${other.dashboard.uid}`)).toContain(link.url);
    }
  });

  it('shares the crosshair, and marks alerts, changed settings and changed delays', () => {
    expect(dashboard.graphTooltip).toBe(1);
    expect(annotationsOf(one).map(({ name }) => name)).toEqual([
      'Firing pages',
      'Firing tickets',
      'Changed settings',
      'Learned delays',
    ]);
  });

  it('never draws what is missing as if it were there', () => {
    for (const { expr } of queriesOf(one)) expect(expr).not.toMatch(/\bvector\s*\(/);
    for (const panel of panels) {
      const { spanNulls, insertNulls } = panel.fieldConfig?.defaults.custom ?? {};
      expect({ spanNulls, insertNulls }).not.toMatchObject({ spanNulls: true });
      const nulls = panel.fieldConfig?.defaults.mappings?.filter(({ type }) => type === 'special');
      expect(nulls ?? []).toEqual([]);
    }
  });

  it('shows of the age of data the oldest, not the newest', () => {
    const ages = queriesOf(one).filter(({ expr }) =>
      /time\(\) - .*(data|counted)_until_timestamp/.test(expr),
    );
    expect(ages.length > 0).toBe(one.file !== 'security.json');
    expect(ages.filter(({ expr }) => !/time\(\) - min\b|^max\b.*\(time\(\) - /.test(expr))).toEqual([]);
  });

  it('shows only the highest in a graph by configuration, so that hundreds stay readable', () => {
    const endless = panels
      .filter(({ type }) => type === 'timeseries')
      .flatMap(targetsOf)
      .filter(({ expr }) => selectorsOf(expr).some(isByConfiguration) && !expr.includes('topk('));
    expect(endless).toEqual([]);
  });

  it('names the family in every selector of a panel, so that none meets all series at once', () => {
    const nameless = panels
      .flatMap(targetsOf)
      .flatMap(({ expr }) => selectorsOf(expr))
      .filter(({ metric, text }) => metric === undefined && !text.includes('_changed_timestamp_seconds'));
    expect(nameless).toEqual([]);
  });
});

function isByConfiguration({ aggregations }: Selector): boolean {
  return aggregations.at(-1)?.by.includes('configuration') ?? false;
}

function cellsOf({ x, y, w, h }: { x: number; y: number; w: number; h: number }): string[] {
  return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
}

it('finds what breaks the rules of queries', () => {
  const wrong = ['sum(rate(x[5m])', 'sum(x_total)'].map((expr) => ({
    ...new PanelBuilder().title(expr).build(),
    targets: [new DataqueryBuilder().expr(expr).build()],
  }));
  const one: Committed = { file: '', text: '', dashboard: new DashboardBuilder('').build(), panels: wrong };
  for (const rule of ['target-promql', 'target-counter-agg', 'target-rate-interval']) {
    expect(RULES[rule]?.(one)).toHaveLength(1);
  }
  expect(RULES['panel-title-description']?.(one)).toHaveLength(2);
});
