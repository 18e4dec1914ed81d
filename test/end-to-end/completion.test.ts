import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands.ts';
import { completionScript } from '../../src/exporter/command-line/completion.ts';
import { callProgram } from '../commands/call-program.ts';

const SCRIPT = completionScript('bash', COMMANDS);

/** What bash offers at the end of a line; its words are split where bash splits them. */
function offered(line: string): readonly string[] {
  const words = line.split(/ |(?==)|(?<==)/);
  const call = `${SCRIPT}
COMP_LINE=$1 COMP_POINT=\${#1}; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_edge_exporter
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', call, 'bash', line, ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

test('bash completes commands, the flags of each, and the words that a flag takes', () => {
  expect(offered('edge-exporter re')).toEqual(['rehearse']);
  expect(offered('edge-exporter ')).toEqual(expect.arrayContaining(['serve', 'doctor', 'version']));
  expect(offered('edge-exporter --web.list')).toEqual(['--web.listen-address=']);
  expect(offered('edge-exporter doctor --web.list')).toEqual([]);
  expect(offered('edge-exporter serve --log.level=d')).toEqual(['debug']);
  expect(offered('edge-exporter serve --no-web.en')).toEqual(['--no-web.enable-lifecycle']);
});

test('the script of each shell is what the command writes', async () => {
  for (const shell of ['bash', 'zsh'] as const) {
    const { out, exitCode } = await callProgram(['completion', shell], { env: {}, commands: COMMANDS });
    expect([exitCode, out]).toEqual([0, completionScript(shell, COMMANDS)]);
  }
});
