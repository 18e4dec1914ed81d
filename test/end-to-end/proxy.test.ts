import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { certificateFile, keyPair } from '../exporter/platform/tls-upstream.ts';
import { startProcess } from './child-process.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { runExporter, startExporter } from './exporter-process.ts';
import { freePort } from './free-port.ts';
import { serveSandbox } from './platform.ts';
import { toolPath } from './tools.ts';

const PASSWORD = 'pr0xy-pa55word';
const WRONG_PASSWORD = 'wr0ng-pa55word';

async function serveOverTls() {
  const sandbox = await serveSandbox();
  const { port } = new URL(sandbox.url);
  const server = createServer(keyPair('server'), (client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { token: sandbox.env.EDGE_TOKEN, port: address.port, sandbox };
}

async function startTinyproxy() {
  const folder = await temporaryFolder();
  const [port, log] = [await freePort(), join(folder, 'log')];
  const settings = [
    ...[`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', `LogFile "${log}"`, 'LogLevel Info'],
    ...[`BasicAuth operator ${PASSWORD}`],
  ];
  const file = join(folder, 'tinyproxy.conf');
  await writeFile(file, `${settings.join('\n')}\n`);
  const running = await startProcess({ path: toolPath('tinyproxy'), args: ['-d', '-c', file] });
  onTestFinished(async () => void (await running.stop()));
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await eventually('tinyproxy listens', listens, { evidence: running.output });
  return { port, log: () => readFile(log, 'utf8') };
}

describe('behind a proxy that asks for a password, to a platform under a private authority', () => {
  it('everything arrives; the proxy sees no token, and nobody sees the password', async () => {
    const { token, port, sandbox } = await serveOverTls();
    const proxy = await startTinyproxy();
    const config = await configFile({
      accounts: [
        {
          name: 'behind',
          api_url: `https://localhost:${port}`,
          token,
          request: {
            proxy: `http://operator:\${PROXY_PASSWORD}@127.0.0.1:${proxy.port}`,
            ca_file: certificateFile('ca.pem'),
          },
        },
      ],
    });
    const exporter = await startExporter({
      args: ['serve', `--config.file=${config.path}`, '--log.level=debug'],
      env: { PROXY_PASSWORD: PASSWORD },
    });
    onTestFinished(async () => void (await exporter.stop()));
    await exporter.ready();
    const body = await eventually('the account is up', async () => {
      const scraped = await exporter.scrape();
      return /^edge_up\{account="behind"\} 1$/m.test(scraped.body) && scraped.body;
    });
    expect(sandbox.requests.total).toBeGreaterThan(0);
    const log = await proxy.log();
    expect(log).toContain(`CONNECT localhost:${port}`);
    expect(log).not.toContain(token);
    const shown = await Promise.all(
      ['/', '/api/v1/status'].map(async (path) => (await fetch(`${exporter.url}${path}`)).text()),
    );
    expect([body, exporter.process.output(), ...shown].join()).not.toContain(PASSWORD);
  });

  it('the variables of the environment do, and doctor tells what is missing', async () => {
    const { token, port } = await serveOverTls();
    const proxy = await startTinyproxy();
    // The address is not loopback, so the proxy applies to it, but it reaches this machine.
    const account = { name: 'behind', api_url: `https://0.0.0.0:${port}`, token };
    const request = { ca_file: certificateFile('ca.pem'), server_name: 'localhost' };
    const doctor = async (given: object, password: string, env: Record<string, string> = {}) => {
      const config = await configFile({ accounts: [{ ...account, request: given }] });
      const HTTPS_PROXY = `http://operator:${password}@127.0.0.1:${proxy.port}`;
      const { code, stdout, stderr } = await runExporter({
        args: ['doctor', `--config.file=${config.path}`],
        env: { HTTPS_PROXY, ...env },
      });
      expect(stdout + stderr).not.toContain(password);
      return { code, stdout };
    };
    const good = await doctor(request, PASSWORD);
    expect(good.stdout).toMatch(/ok {7}tunnel .*\(HTTPS_PROXY\) opens a tunnel to 0\.0\.0\.0/);
    expect(good.code).toBe(0);
    const unknown = await doctor({ server_name: 'localhost' }, PASSWORD);
    expect(unknown.stdout).toContain('certificate is signed by an unknown authority');
    const NODE_EXTRA_CA_CERTS = certificateFile('ca.pem');
    expect((await doctor({ server_name: 'localhost' }, PASSWORD, { NODE_EXTRA_CA_CERTS })).code).toBe(0);
    const refused = await doctor(request, WRONG_PASSWORD);
    expect(refused.stdout).toMatch(/problem {2}tunnel .* does not accept the user name and password/);
    expect(refused.code).toBe(1);
  });
});
