import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/commands.ts';
import {
  FLAGS,
  type Flag,
  type FlagName,
  flagsFor,
  flagVariable,
} from '../../../src/exporter/command-line/flags.ts';

const all = Object.entries<Flag>(FLAGS) as [FlagName, Flag][];

test('every flag has an environment variable of its own', () => {
  expect(flagVariable('web.listen-address')).toBe('EDGE_EXPORTER_WEB_LISTEN_ADDRESS');
  const variables = all.map(([name]) => flagVariable(name));
  expect(new Set(variables).size).toBe(all.length);
  expect(variables.filter((variable) => !/^[A-Z_]+$/.test(variable))).toEqual([]);
});

test('every default is a value of its flag', () => {
  const wrong = all.filter(
    ([, flag]) => flag.default !== undefined && flag.value.parse(flag.default) === undefined,
  );
  expect(wrong).toEqual([]);
});

test('every switch has a default, so that it is never absent', () => {
  const open = all.filter(([, flag]) => flag.value.placeholder === undefined && flag.default === undefined);
  expect(open).toEqual([]);
});

test('every command takes the flags of the log', () => {
  for (const command of Object.keys(COMMANDS) as (keyof typeof COMMANDS)[]) {
    expect(flagsFor(command).map(([name]) => name)).toEqual(
      expect.arrayContaining(['log.level', 'log.format']),
    );
  }
});
