import {
  type DataFrame,
  type Field,
  type FieldConfig,
  FieldType,
  type GrafanaTheme2,
  getDisplayProcessor,
} from '@grafana/data';
import type { FieldConfigJson, OrganizeOptions, PanelJson } from './dashboard.ts';
import type { Series } from './prometheus.ts';

type Config = FieldConfig & { custom?: Record<string, unknown> };

function configFor(name: string, { defaults, overrides }: FieldConfigJson): Config {
  const config = structuredClone(defaults) as Config & Record<string, unknown>;
  config.custom = { ...config.custom };
  const matching = overrides.filter(({ matcher }) =>
    matcher.id === 'byName' ? matcher.options === name : new RegExp(matcher.options.slice(1, -1)).test(name),
  );
  for (const { id, value } of matching.flatMap(({ properties }) => properties)) {
    if (id.startsWith('custom.')) config.custom[id.slice('custom.'.length)] = value;
    else config[id] = value;
  }
  return config;
}

function legendOf(format: string, labels: Readonly<Record<string, string>>): string {
  if (format !== '') return format.replaceAll(/\{\{(\w+)\}\}/g, (_all, label: string) => labels[label] ?? '');
  return Object.values(labels).join(', ') || 'value';
}

/** Returns a data frame for each series, as Grafana's Prometheus data source does. */
export function framesOf(
  panel: PanelJson,
  answers: readonly (readonly Series[])[],
  theme: GrafanaTheme2,
  step: number,
): DataFrame[] {
  const named = answers.flatMap((series, query) =>
    series.map(({ metric, values }) => ({
      name: legendOf(panel.targets?.[query]?.legendFormat ?? '', metric),
      values,
    })),
  );
  named.sort((a, b) => order(panel, a.name) - order(panel, b.name) || a.name.localeCompare(b.name));
  return named.map(({ name, values }, index) => {
    const config = configFor(name, panel.fieldConfig);
    const time: Field = {
      name: 'Time',
      type: FieldType.time,
      config: { interval: step },
      values: values.map(([seconds]) => seconds * 1000),
    };
    const value: Field = {
      name,
      type: FieldType.number,
      config: { ...config, displayName: name, color: config.color ?? { mode: 'palette-classic' } },
      values: values.map(([, text]) => Number(text)),
      state: { seriesIndex: index, displayName: name },
    };
    value.display = getDisplayProcessor({ field: value, theme });
    return { fields: [time, value], length: values.length };
  });
}

function order(panel: PanelJson, name: string): number {
  const place = (panel.targets ?? []).findIndex(({ legendFormat }) => legendFormat === name);
  return place < 0 ? 99 : place;
}

/**
 * Returns one data frame of all answers: a row for each label set, as Grafana's merge and organize
 * transformations do.
 */
export function tableOf(
  panel: PanelJson,
  answers: readonly (readonly Series[])[],
  theme: GrafanaTheme2,
): DataFrame {
  const options = panel.transformations?.find(({ id }) => id === 'organize')?.options ?? {};
  const rows = new Map<string, Record<string, string | number>>();
  answers.forEach((series, query) => {
    const name = answers.length === 1 ? 'Value' : `Value #${panel.targets?.[query]?.refId}`;
    for (const { metric, values } of series) {
      const key = JSON.stringify(Object.entries(metric).sort());
      rows.set(key, { ...metric, ...rows.get(key), [name]: Number(values[0]?.[1]) });
    }
  });
  const fields = headings(options).map(([field, heading]): Field => {
    const values = [...rows.values()].map((row) => row[field]);
    const numeric = field.startsWith('Value');
    const config = configFor(heading, panel.fieldConfig);
    const made: Field = {
      name: heading,
      type: numeric ? FieldType.number : FieldType.string,
      config: { ...config, color: { mode: 'thresholds' } },
      values,
      state: { displayName: heading },
    };
    made.display = getDisplayProcessor({ field: made, theme });
    return made;
  });
  return { fields, length: rows.size };
}

function headings({ renameByName = {}, indexByName = {} }: OrganizeOptions): [string, string][] {
  return Object.entries(renameByName).sort(([a], [b]) => (indexByName[a] ?? 0) - (indexByName[b] ?? 0));
}

/** Returns the first value of each answer, as the panel formats it, with its name. Skips empty answers. */
export function figuresOf(panel: PanelJson, answers: readonly (readonly Series[])[], theme: GrafanaTheme2) {
  return answers.flatMap((series, query) => {
    const text = series[0]?.values[0]?.[1];
    if (text === undefined) return [];
    const name = panel.targets?.[query]?.legendFormat ?? '';
    const config = { ...configFor(name, panel.fieldConfig), color: { mode: 'thresholds' } };
    const field: Field = { name, type: FieldType.number, config, values: [Number(text)] };
    return [{ ...getDisplayProcessor({ field, theme })(Number(text)), title: name }];
  });
}
