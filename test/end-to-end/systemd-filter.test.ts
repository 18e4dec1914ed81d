import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { runToEnd, startProcess } from './child-process.ts';
import { temporaryFolder } from './config-file.ts';
import { systemdEnvironment } from './systemd-environment.ts';
import { toolPath } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const UNDER_FILTER = `
import ctypes, os, sys
names, command = sys.argv[1].split(), sys.argv[2:]
lib = ctypes.CDLL('libseccomp.so.2', use_errno=True)
lib.seccomp_init.restype = ctypes.c_void_p
lib.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
lib.seccomp_load.argtypes = [ctypes.c_void_p]
ALLOW, EPERM = 0x7fff0000, 0x00050001
rules = ctypes.c_void_p(lib.seccomp_init(EPERM))
for name in names:
    number = lib.seccomp_syscall_resolve_name(name.encode())
    if number >= 0 and lib.seccomp_rule_add(rules, ALLOW, number, 0) != 0: sys.exit('no rule for ' + name)
if lib.seccomp_load(rules) != 0: sys.exit('the filter cannot be loaded')
os.execvp(command[0], command)
`;

let allowed: string;

beforeAll(async () => {
  allowed = [...(await allowedCalls())].join(' ');
});

async function allowedCalls(): Promise<Set<string>> {
  const unit = await readFile(join(ROOT, 'config/systemd/edge-exporter.service'), 'utf8');
  const path = toolPath('systemd-analyze');
  const args = ['--no-pager', 'syscall-filter'];
  const { stdout } = await runToEnd({ path, args, env: systemdEnvironment(path) });
  const groups = new Map<string, string[]>();
  for (const block of stdout.split(/\n(?=@)/)) {
    const [name = '', ...lines] = block.split('\n').map((line) => line.trim());
    groups.set(
      name,
      lines.filter((line) => /^@?[a-z0-9_-]+$/.test(line)),
    );
  }
  const calls = (entry: string): string[] =>
    entry.startsWith('@') ? (groups.get(entry) ?? []).flatMap(calls) : [entry];
  const found = new Set<string>();
  for (const [, taken = '', entries = ''] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of entries.split(' ').flatMap(calls)) {
      if (taken === '') found.add(call);
      else found.delete(call);
    }
  }
  return found;
}

const filtered = (command: readonly string[], env: Record<string, string> = {}) => ({
  path: 'python3',
  args: ['-c', UNDER_FILTER, allowed, ...command],
  env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
});

it("the unit's filter of system calls forbids what the exporter has no business with", async () => {
  expect(allowed.split(' ').length).toBeGreaterThan(200);
  const script = "require('node:os').setPriority(5)";
  const { code, stderr } = await runToEnd(filtered([process.execPath, '-e', script]));
  expect(code).not.toBe(0);
  expect(stderr).toContain('EPERM');
});

it("the exporter runs under the unit's filter: compiles, polls, keeps its state on disk, and ends in order", async () => {
  const state = await temporaryFolder();
  const flags = ['serve', '--sandbox', `--state.dir=${state}`, '--web.listen-address=127.0.0.1:0'];
  const exporter = await startProcess(filtered([process.execPath, join(ROOT, 'dist/main.js'), ...flags]));
  try {
    const address = await eventually(
      'the exporter listens',
      () => /msg=listening address=(http:\S+)/.exec(exporter.stderr())?.[1],
      { evidence: exporter.output },
    );
    const scrape = async () => (await fetch(`${address}/metrics`)).text();
    await eventually(
      'buckets are shown',
      async () => (await scrape()).includes('edge_responses_per_minute{'),
      {
        evidence: exporter.output,
      },
    );
    expect(await scrape()).toContain(`edge_exporter_state_durable{directory="${state}"} 1\n`);
  } finally {
    await exporter.stop();
  }
  const { code, stderr } = await exporter.ended;
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('EPERM') });
  expect(stderr).not.toContain('level=error');
});
