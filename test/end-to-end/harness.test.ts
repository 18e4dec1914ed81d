import { describe, expect, it } from 'vitest';
import { runToEnd } from './child-process.ts';
import { listeningAddress, startExporter } from './exporter-process.ts';
import { startServer } from './server-process.ts';
import { findTool, toolPath } from './tools.ts';

describe('the exporter as a process', () => {
  it.each([
    ['logfmt', 'ts=1 level=info msg=listening address=http://127.0.0.1:41 path=/metrics'],
    ['quoted logfmt', 'msg="listening" address="http://127.0.0.1:41/"'],
    ['JSON', '{"level":"info","msg":"listening","address":"http://127.0.0.1:41"}'],
  ])('is found by the address that it logs as %s', (_, line) => {
    const others = 'msg="sandbox listening" address=http://127.0.0.1:7\n';
    expect(listeningAddress(`${others}${line}\n${others}`)).toBe('http://127.0.0.1:41');
    expect(listeningAddress(others)).toBeUndefined();
  });

  it('is not waited for where it has ended instead', async () => {
    const start = startExporter({ args: ['serve', '--no-such-flag'] });
    await expect(start).rejects.toThrow(/^the exporter ended:.*no-such-flag/s);
  });
});

describe('a tool that is missing or broken', () => {
  it('is named in one line that says what to install', () => {
    const nowhere = { PATH: '/nowhere', CHROMIUM_PATH: '' };
    expect(findTool('chromium', nowhere)).toBeUndefined();
    expect(() => toolPath('chromium', nowhere)).toThrow(
      /^chromium is missing: install it .* or set CHROMIUM_PATH.*$/,
    );
  });

  it('is not replaced by another where a variable names it', () => {
    expect(findTool('amtool', { AMTOOL_BIN: process.execPath })).toBe(process.execPath);
    expect(findTool('promtool', { PROMTOOL_BIN: '/nowhere/promtool' })).toBeUndefined();
  });

  it.each([
    ['prometheus', 'prometheus3'],
    ['promtool', 'promtool3'],
  ] as const)('is not taken for %s of another version', (two, three) => {
    const [path2, path3] = [toolPath(two), toolPath(three)];
    const variables = {
      prometheus: ['PROMETHEUS_BIN', 'PROMETHEUS3_BIN'],
      promtool: ['PROMTOOL_BIN', 'PROMTOOL3_BIN'],
    };
    const [of2 = '', of3 = ''] = variables[two];
    expect(findTool(two, { [of2]: path3 })).toBeUndefined();
    expect(findTool(three, { [of3]: path2 })).toBeUndefined();
    expect(() => toolPath(three, { [of3]: path2 })).toThrow(
      `${three} (3.x) is missing (${path2} is of another version): install it on the PATH (as ${two}), or set ${of3} to its path`,
    );
  });

  it('fails with what it printed, and at once, where it ends instead of starting', async () => {
    const broken = startServer({
      tool: 'prometheus',
      ready: '/-/ready',
      args: async () => ['--no-such-flag'],
    });
    await expect(broken).rejects.toThrow(/prometheus ended:.*no-such-flag/s);
  });

  it('fails as not found where it does not exist', async () => {
    await expect(runToEnd({ path: '/nowhere/tool', args: [] })).rejects.toThrow('ENOENT');
  });
});
