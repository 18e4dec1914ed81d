import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../src/commands.ts';
import { completionScript, SHELLS, type Shell } from '../../src/exporter/command-line/completion.ts';
import { callProgram } from '../commands/call-program.ts';
import { unpackDebianPackage, unpackedFolder } from './debian-packages.ts';

const ZSH = unpackedFolder('zsh');
const ZSH_COMMON = unpackedFolder('zsh-common');

beforeAll(() => Promise.all(['zsh', 'zsh-common'].map(unpackDebianPackage)));

const PROMPT = 'ready> ';

/** What starts each shell without its user's files, and makes it ready; zsh is not where Debian would install it. */
const START: Readonly<Record<Shell, { readonly command: string; readonly prepare: readonly string[] }>> = {
  bash: { command: 'bash --norc --noprofile -i', prepare: [] },
  zsh: {
    command: `${join(ZSH, 'bin', 'zsh')} -f -i`,
    prepare: [
      `module_path=(${ZSH}/usr/lib/*/zsh/*(/))`,
      `fpath=(${ZSH_COMMON}/usr/share/zsh/functions/**/*(/))`,
      'autoload -Uz compinit; compinit -D -u',
    ],
  },
};

/** A shell at a terminal in which somebody types; what the program is called with there is shown, and no more. */
async function openTerminal(shell: Shell) {
  const folder = await mkdtemp(join(tmpdir(), 'completion-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'script'), completionScript(shell, COMMANDS));
  const { command, prepare } = START[shell];
  const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb', PS1: PROMPT, INPUTRC: '/dev/null' };
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env });
  onTestFinished(() => void terminal.kill());
  let shown = '';
  let look = () => {};
  terminal.stdout.on('data', (bytes: Buffer) => {
    shown += bytes.toString();
    look();
  });
  const ended = new Promise<never>((_, reject) => {
    terminal.on('close', () => reject(new Error(`${shell} has ended: ${shown}`)));
  });
  ended.catch(() => undefined);
  /** Waits for the prompt: what is typed before it is there, the shell may take as it is. */
  const prompted = async (before = ''): Promise<RegExpExecArray> => {
    for (;;) {
      const found = new RegExp(`${before}[^]*${PROMPT}`).exec(shown);
      if (found !== null) return found;
      const changed = new Promise<void>((resolve) => {
        look = resolve;
      });
      await Promise.race([changed, ended]);
    }
  };
  const type = (line: string) => {
    shown = '';
    terminal.stdin.write(`${line}\n`);
  };
  await prompted();
  const program = `edge-exporter() { printf '<%s:' called; printf '%s ' "$@"; echo '>'; }`;
  for (const line of [...prepare, program, 'source ./script']) {
    type(line);
    await prompted();
  }
  /** Types a line, and waits for what the program is called with. */
  return async (line: string): Promise<string | undefined> => {
    type(line);
    return (await prompted('<called:(.*) >'))[1];
  };
}

test.each(SHELLS)(
  '%s completes commands, the flags of each, and the words that a flag takes',
  async (shell) => {
    const called = await openTerminal(shell);
    expect(await called('edge-exporter reh\t')).toBe('rehearse');
    expect(await called('edge-exporter vers\t')).toBe('version');
    // A value follows at once, without a space; a flag of another command is none.
    expect(await called('edge-exporter --web.list\t:9801')).toBe('--web.listen-address=:9801');
    expect(await called('edge-exporter doctor --web.list\t:9801')).toBe('doctor --web.list:9801');
    expect(await called('edge-exporter serve --log.level=d\t')).toBe('serve --log.level=debug');
    expect(await called('edge-exporter serve --no-web.en\t')).toBe('serve --no-web.enable-lifecycle');
    expect(await called('edge-exporter check-config scr\t')).toBe('check-config script');
  },
);

test.each(SHELLS)('the script of %s is what the command writes', async (shell) => {
  const { out, exitCode } = await callProgram(['completion', shell], { env: {}, commands: COMMANDS });
  expect([exitCode, out]).toEqual([0, completionScript(shell, COMMANDS)]);
});
