import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands.ts';
import { completionScript, SHELLS, type Shell } from '../../src/exporter/command-line/completion.ts';
import { callProgram } from '../commands/call-program.ts';
import { unpackDebianPackages, unpackedFolder } from './debian-packages.ts';

const ZSH = unpackedFolder('zsh');

beforeAll(() => unpackDebianPackages(['zsh']));

/** What calls the completion of a line's words as the shell does, and prints what it offers. */
const CALLS: Readonly<Record<Shell, string>> = {
  bash: `COMP_LINE=$1 COMP_POINT=\${#1}; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_edge_exporter
printf '%s\\n' "\${COMPREPLY[@]}"`,
  // What these do is zsh's, and works only while somebody types.
  zsh: `compset() { PREFIX="\${PREFIX#*=}" }
_files() { print -l -- script }
compadd() {
  while [[ "$1" != -- ]]; do shift; done
  shift
  for word in "$@"; do if [[ "$word" == "$PREFIX"* ]]; then print -r -- "$word"; fi; done
}
words=(\${(s: :)1}) CURRENT=\${#words} PREFIX=\${words[-1]}
if [[ "$1" == *' ' ]]; then PREFIX= CURRENT=$((CURRENT + 1)); fi
_edge_exporter`,
};

const SHELL: Readonly<Record<Shell, (script: string) => [path: string, args: readonly string[]]>> = {
  bash: (script) => ['bash', ['--norc', '-c', script]],
  // It is not where Debian would install it.
  zsh: (script) => [
    join(ZSH, 'bin', 'zsh'),
    ['-f', '-c', `module_path=(${ZSH}/usr/lib/*/zsh/*(/)); compdef() { : }\n${script}`],
  ],
};

/** What a shell offers at the end of a line; bash splits words at equals signs. */
function offered(shell: Shell, line: string): readonly string[] {
  const words = line.split(/ |(?==)|(?<==)/);
  const [path, args] = SHELL[shell](`${completionScript(shell, COMMANDS)}\n${CALLS[shell]}`);
  return execFileSync(path, [...args, shell, line, ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

test.each(SHELLS)('%s completes commands, the flags of each, and the words that a flag takes', (shell) => {
  expect(offered(shell, 'edge-exporter re')).toEqual(['rehearse']);
  expect(offered(shell, 'edge-exporter ')).toEqual(expect.arrayContaining(['serve', 'doctor', 'version']));
  expect(offered(shell, 'edge-exporter --web.list')).toEqual(['--web.listen-address=']);
  expect(offered(shell, 'edge-exporter doctor --web.list')).toEqual([]);
  expect(offered(shell, 'edge-exporter serve --log.level=d')).toEqual(['debug']);
  expect(offered(shell, 'edge-exporter serve --no-web.en')).toEqual(['--no-web.enable-lifecycle']);
});

test.each(SHELLS)('the script of %s is what the command writes', async (shell) => {
  const { out, exitCode } = await callProgram(['completion', shell], { env: {}, commands: COMMANDS });
  expect([exitCode, out]).toEqual([0, completionScript(shell, COMMANDS)]);
});
