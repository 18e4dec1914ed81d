import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/commands.ts';
import { flagsFor, flagVariable } from '../../../src/exporter/command-line/flags.ts';
import { commandHelp, programHelp } from '../../../src/exporter/command-line/program.ts';
import { ACCESS } from '../../../src/exporter/configuration/access.ts';

const NAMES = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];

test('the help names every command with its summary', () => {
  const help = programHelp(COMMANDS);
  for (const name of NAMES) expect(help).toMatch(new RegExp(`^  ${name} +\\S.*\\.$`, 'm'));
});

test.each(NAMES)('the help of %s tells every flag with its variable and default', (name) => {
  const help = commandHelp(COMMANDS, name);
  for (const [flag, { about, default: usual }] of flagsFor(name)) {
    expect(help).toContain(flag);
    expect(help).toContain(about);
    expect(help).toContain(flagVariable(flag));
    if (usual !== undefined) expect(help).toContain(`Default: ${usual}. Environment: ${flagVariable(flag)}.`);
  }
});

test('a switch is shown with its negation, any other flag with its value', () => {
  const help = commandHelp(COMMANDS, 'serve');
  expect(help).toContain('  --[no-]sandbox\n');
  expect(help).toContain('  --log.format=<logfmt|json>\n');
});

test('where the environment can describe an account, the help lists its variables, those of secrets too', () => {
  const variables = Object.keys(ACCESS).map((key) => `EDGE_${key.toUpperCase()}`);
  expect(variables).toContain('EDGE_PASSWORD_FILE');
  for (const name of NAMES) {
    const help = commandHelp(COMMANDS, name);
    for (const variable of variables) {
      const told = new RegExp(`^  ${variable} +\\S.*\\.$`, 'm').test(help);
      expect(told, `${variable} in the help of ${name}`).toBe(
        !['sandbox', 'rules', 'state-copy'].includes(name),
      );
    }
  }
});
