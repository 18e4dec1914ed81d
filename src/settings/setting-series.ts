import type { Family, Labels } from '../catalogue/family.ts';
import { parseTimestamp } from '../platform/timestamp.ts';

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

function gauge(name: string, help: string): Family {
  return { name, type: 'gauge', help };
}

/** Always 1, with names and what else is worth a label. A label that the platform does not give is empty. */
export function info<Row>(
  name: string,
  help: string,
  labels: (row: Row) => Readonly<Record<string, Maybe<string>>>,
): SettingSeries<Row> {
  return {
    family: gauge(name, help),
    values: (row) => {
      const given = Object.entries(labels(row)).map(([label, value]) => [label, value ?? '']);
      return [{ labels: Object.fromEntries(given), value: 1 }];
    },
  };
}

/** A switch: 1 or 0. */
export function switched<Row>(
  name: string,
  help: string,
  of: (row: Row) => Maybe<boolean>,
): SettingSeries<Row> {
  return measured(name, help, (row) => {
    const on = of(row);
    return on === null || on === undefined ? undefined : Number(on);
  });
}

/** When the platform says that a setting was last modified; nothing where it gives no time that can be read. */
export function modified<Row>(
  kind: string,
  thing: string,
  field: string,
  of: (row: Row) => Maybe<string>,
): SettingSeries<Row> {
  return measured(
    `edge_${kind}_modified_timestamp_seconds`,
    `When ${thing} was last modified according to the platform, as a Unix time. API: ${field}.`,
    (row) => {
      const time = parseTimestamp(of(row) ?? '');
      return time === undefined ? undefined : time / 1_000;
    },
  );
}

/** A number, where the platform gives it. */
export function measured<Row>(
  name: string,
  help: string,
  of: (row: Row) => Maybe<number>,
): SettingSeries<Row> {
  return {
    family: gauge(name, help),
    values: (row) => {
      const value = of(row);
      return value === null || value === undefined ? [] : [{ value }];
    },
  };
}

/** Numbers by a label. */
export function measuredBy<Row>(
  name: string,
  help: string,
  label: string,
  of: (row: Row) => Maybe<Iterable<readonly [string, number]>>,
): SettingSeries<Row> {
  return {
    family: gauge(name, help),
    values: (row) => [...(of(row) ?? [])].map(([key, value]) => ({ labels: { [label]: key }, value })),
  };
}

/** One series of 1 for each of some sets of labels. */
export function related<Row>(
  name: string,
  help: string,
  of: (row: Row) => readonly Labels[],
): SettingSeries<Row> {
  return {
    family: gauge(name, help),
    values: (row) => of(row).map((labels) => ({ labels, value: 1 })),
  };
}
