import {
  TableCellHeight,
  TableFooterOptionsBuilder,
  TableSortByFieldStateBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue, Panel, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { LIMITS, type Steps, thresholds } from './limits.ts';
import { type About, DATASOURCE, targets } from './panel.ts';

/** Column of values. Its query returns one value for each row. */
export interface Column {
  readonly title: string;
  readonly expr: string;
  /** Grafana unit; undefined: the unit of the table. */
  readonly unit?: string;
  readonly decimals?: number;
  readonly limits?: Steps;
  readonly mappings?: readonly ValueMapping[];
  readonly noValue?: string;
}

export interface Table extends About {
  /** Headings by label. All queries keep these labels, which identify the rows. */
  readonly rows: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, { readonly title: string; readonly url: string }>>;
  readonly columns: readonly Column[];
  /** Heading of the column that sorts the rows. */
  readonly sortedBy: string;
  /** Order of the rows; undefined: descending. */
  readonly order?: 'ascending' | 'descending';
  readonly noValue?: string;
  readonly widths?: Readonly<Record<string, number>>;
}

/** Returns a table of current values by label. Cells without a value stay empty. */
export function table(given: Table): Panel {
  const { title, description, unit = 'short', rows, columns, sortedBy, links = {}, widths = {} } = given;
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .noValue(given.noValue ?? '')
    .thresholds(thresholds(LIMITS.none))
    .cellHeight(TableCellHeight.Sm)
    .footer(new TableFooterOptionsBuilder().enablePagination(true))
    .sortBy([new TableSortByFieldStateBuilder().displayName(sortedBy).desc(given.order !== 'ascending')])
    .targets(targets(columns, 'now, as a table'))
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({ id: 'organize', options: organisation(rows, columns) });
  // Without this override, a label that resembles a number gets the table's unit.
  for (const heading of Object.values(rows)) panel.overrideByName(heading, [{ id: 'unit', value: 'string' }]);
  for (const column of columns) panel.overrideByName(column.title, appearance(column));
  for (const [heading, link] of Object.entries(links)) {
    panel.overrideByName(heading, [{ id: 'links', value: [link] }]);
  }
  for (const [heading, width] of Object.entries(widths)) {
    panel.overrideByName(heading, [{ id: 'custom.width', value: width }]);
  }
  return panel.build();
}

function organisation(rows: Table['rows'], columns: readonly Column[]) {
  const values = columns.map(({ title }, index): [string, string] => [valueField(index, columns), title]);
  const named = [...Object.entries(rows), ...values];
  return {
    excludeByName: { Time: true },
    renameByName: Object.fromEntries(named),
    indexByName: Object.fromEntries(named.map(([field], index) => [field, index])),
  };
}

function valueField(index: number, columns: readonly Column[]): string {
  return columns.length === 1 ? 'Value' : `Value #${String.fromCharCode(65 + index)}`;
}

function appearance({ title, unit, decimals, limits, mappings, noValue }: Column): DynamicConfigValue[] {
  return [
    { id: 'custom.minWidth', value: readableWidth(title) },
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
    ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
    ...(noValue === undefined ? [] : [{ id: 'noValue', value: noValue }]),
    ...(mappings === undefined ? [] : [{ id: 'mappings', value: mappings }]),
    ...(limits === undefined
      ? []
      : [
          { id: 'thresholds', value: thresholds(limits).build() },
          { id: 'custom.cellOptions', value: { type: 'color-text' } },
        ]),
  ];
}

function readableWidth(heading: string): number {
  return Math.max(75, 26 + 7.5 * heading.length);
}
