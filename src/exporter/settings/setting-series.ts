import type { Family, Labels } from '../catalogue/family.ts';
import { parseTimestamp } from '../platform/headers.ts';

/** A value of a family, with the labels that it has besides those of its setting. */
export interface SettingValue {
  readonly labels?: Labels;
  readonly value: number;
}

/** A family, and what a setting shows of it. */
export interface SettingSeries<Row> {
  readonly family: Family;
  values(row: Row): readonly SettingValue[];
}

type Maybe<Value> = Value | null | undefined;

type Of<Row, Value> = (row: Row) => Maybe<Value>;

/** The kinds of series that a setting is shown in. Help texts are completed by the part of the API, `api`, which they come from. */
export function seriesOf<Row>(api: string) {
  const series = (name: string, help: string, values: SettingSeries<Row>['values']): SettingSeries<Row> => ({
    family: { name, type: 'gauge', help: `${help} API: ${api}.` },
    values,
  });
  /** A number, where the platform gives it. */
  const measured = (name: string, help: string, of: Of<Row, number>) =>
    series(name, help, (row) => {
      const value = of(row);
      return value === null || value === undefined ? [] : [{ value }];
    });
  /** One series of 1 for each of some sets of labels. */
  const related = (name: string, help: string, of: (row: Row) => readonly Labels[]) =>
    series(name, help, (row) => of(row).map((labels) => ({ labels, value: 1 })));
  return {
    measured,
    related,
    /** Always 1, with names and what else is worth a label. A label that the platform does not give is empty. */
    info: (name: string, help: string, labels: (row: Row) => Readonly<Record<string, Maybe<string>>>) =>
      related(name, help, (row) => [
        Object.fromEntries(Object.entries(labels(row)).map(([label, value]) => [label, value ?? ''])),
      ]),
    /** A switch: 1 or 0. */
    switched: (name: string, whether: string, of: Of<Row, boolean>, values = '1 or 0') =>
      measured(name, `${whether}: ${values}.`, (row) => {
        const on = of(row);
        return on === null || on === undefined ? undefined : Number(on);
      }),
    /** Numbers by a label. */
    measuredBy: (
      name: string,
      help: string,
      label: string,
      of: Of<Row, Iterable<readonly [string, number]>>,
    ) =>
      series(name, help, (row) =>
        [...(of(row) ?? [])].map(([key, value]) => ({ labels: { [label]: key }, value })),
      ),
    /** When the platform says that a setting was last modified; nothing where it gives no time that can be read. */
    modified: (kind: string, thing: string, of: Of<Row, string>) =>
      measured(
        `edge_${kind}_modified_timestamp_seconds`,
        `When ${thing} was last modified according to the platform, as a Unix time.`,
        (row) => {
          const time = parseTimestamp(of(row) ?? '');
          return time === undefined ? undefined : time / 1_000;
        },
      ),
    /** Who made the last change, according to the platform; nothing where it does not say. */
    edited: (kind: string, thing: string, of: Of<Row, string>) =>
      related(
        `edge_${kind}_last_editor_info`,
        `Who last changed ${thing} according to the platform, always 1.`,
        (row) => {
          const editor = of(row);
          return editor ? [{ last_editor: editor }] : [];
        },
      ),
  };
}
