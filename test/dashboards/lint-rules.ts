import type { Panel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { type Committed, queriesOf, targetsOf } from './committed.ts';
import { RATE_INTERVAL, selectorsOf, syntaxErrors } from './promql.ts';

/** Violation of a rule, with its location and description. */
export interface Finding {
  readonly where: string;
  readonly what: string;
}

const UNITS: ReadonlySet<unknown> = new Set(Object.values(units));

type Rule = (one: Committed) => readonly Finding[];

/** Rules of grafana/dashboard-linter, by name. */
export const RULES: Readonly<Record<string, Rule>> = {
  'template-datasource': ({ dashboard }) => {
    const found = variables(dashboard.templating?.list).filter(({ type }) => type === 'datasource');
    const [only] = found;
    const good =
      found.length === 1 &&
      only?.name === 'datasource' &&
      only.label === 'Data source' &&
      only.query === 'prometheus';
    return good ? [] : [{ where: 'datasource', what: 'is not the variable it should be' }];
  },
  'template-job': (one) => choiceOf(one, 'job', 'Job'),
  'template-instance': (one) => choiceOf(one, 'instance', 'Instance'),
  'template-label-promql': ({ dashboard }) =>
    queried(dashboard.templating?.list).flatMap(({ name, definition = '' }) => {
      const series = /^label_values\((.+), (\w+)\)$/.exec(definition)?.[1];
      if (series === undefined) return [{ where: name, what: `no label_values: ${definition}` }];
      return syntaxErrors(series).map((what) => ({ where: name, what }));
    }),
  'template-on-time-change-reload': ({ dashboard }) =>
    queried(dashboard.templating?.list)
      .filter(({ refresh }) => refresh !== 2)
      .map(({ name }) => ({ where: name, what: 'is not read anew when the time range changes' })),
  'panel-datasource': ofPanels(({ datasource }) =>
    datasource?.uid === '$datasource' ? [] : ['another data source'],
  ),
  'panel-title-description': ofPanels(({ title, description }) =>
    title && description ? [] : ['lacks a title or a description'],
  ),
  'panel-units': ofPanels(({ fieldConfig }) => {
    const unit = fieldConfig?.defaults.unit;
    return UNITS.has(unit) ? [] : [`unit ${unit}`];
  }),
  'panel-no-targets': ofPanels((panel) => (targetsOf(panel).length > 0 ? [] : ['asks nothing'])),
  'target-promql': ofQueries((expr) => syntaxErrors(expr)),
  'target-rate-interval': ofQueries((expr) =>
    selectorsOf(expr)
      .filter(({ within, range }) => within[0] === 'rate' && range !== RATE_INTERVAL)
      .map(({ text, range }) => `${text}[${range}]`),
  ),
  'target-job': ofQueries((expr) => lacking(expr, 'job=~"$job"')),
  'target-instance': ofQueries((expr) => lacking(expr, 'instance=~"$instance"')),
  'target-counter-agg': ofQueries((expr) =>
    selectorsOf(expr)
      .filter(
        ({ metric, within }) => metric?.endsWith('_total') && !/^(rate|increase)$/.test(within[0] ?? ''),
      )
      .map(({ text }) => `${text} is a counter`),
  ),
  'uneditable-dashboard': ({ dashboard }) =>
    dashboard.editable === false ? [] : [{ where: 'dashboard', what: 'is editable' }],
};

function variables(list: readonly VariableModel[] | undefined): readonly VariableModel[] {
  return list ?? [];
}

function queried(list: readonly VariableModel[] | undefined): readonly VariableModel[] {
  return variables(list).filter(({ type }) => type === 'query');
}

function choiceOf({ dashboard }: Committed, name: string, label: string): Finding[] {
  const found = queried(dashboard.templating?.list).find((variable) => variable.name === name);
  const good =
    found?.label === label &&
    found.multi === true &&
    found.includeAll === true &&
    // The linter requires `.+`, with which every target that is down would appear as an exporter.
    found.allValue === undefined &&
    /^label_values\(edge_exporter_build_info\b/.test(found.definition ?? '') &&
    found.datasource?.uid === '$datasource';
  return good ? [] : [{ where: name, what: found ? 'is not as it should be' : 'is missing' }];
}

function ofPanels(problems: (panel: Panel) => readonly string[]): Rule {
  return ({ panels }) =>
    panels.flatMap((panel) => problems(panel).map((what) => ({ where: panel.title ?? '', what })));
}

function ofQueries(problems: (expr: string) => readonly string[]): Rule {
  return (one) =>
    queriesOf(one).flatMap(({ title, expr }) => problems(expr).map((what) => ({ where: title, what })));
}

function lacking(expr: string, matcher: string): string[] {
  return [...expr.matchAll(/\{[^{}]*\}/g)].map(([text]) => text).filter((text) => !text.includes(matcher));
}
