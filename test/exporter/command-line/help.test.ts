import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/commands.ts';
import { flagsFor, flagVariable } from '../../../src/exporter/command-line/flags.ts';
import { programOf } from '../../../src/exporter/command-line/program.ts';
import { ACCESS } from '../../../src/exporter/configuration/access.ts';

const NAMES = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];

const PROGRAM = programOf(COMMANDS, () => undefined);

function helpOf(name?: string): string {
  let text = '';
  const command = PROGRAM.commands.find((one) => one.name() === name) ?? PROGRAM;
  command.configureOutput({
    writeOut: (piece) => {
      text += piece;
    },
  });
  command.outputHelp();
  return text.replaceAll(/\s+/g, ' ');
}

test('the help names every command with its summary', () => {
  for (const name of NAMES) expect(helpOf()).toContain(COMMANDS[name]?.summary);
});

test.each(NAMES)('the help of %s tells every flag with its variable and default', (name) => {
  for (const [flag, { about, default: usual }] of flagsFor(name)) {
    const value = usual === undefined ? '' : ` Default: ${usual}.`;
    expect(helpOf(name)).toContain(`${about}${value} Environment: ${flagVariable(flag)}.`);
    expect(helpOf(name)).toContain(`--${flag}`);
  }
});

test('where the environment can describe an account, the help lists its variables, those of secrets too', () => {
  const variables = Object.keys(ACCESS).map((key) => `EDGE_${key.toUpperCase()}`);
  expect(variables).toContain('EDGE_PASSWORD_FILE');
  for (const name of NAMES) {
    for (const variable of variables) {
      const told = helpOf(name).includes(` ${variable} `);
      expect(told, `${variable} in the help of ${name}`).toBe(
        !['sandbox', 'rules', 'state-copy'].includes(name),
      );
    }
  }
});
