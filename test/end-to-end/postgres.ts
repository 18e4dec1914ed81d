import { chmod, chown, copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { postgresAddress } from '../../src/exporter/state/postgres-address.ts';
import { PostgresConnections } from '../../src/exporter/state/postgres-connections.ts';
import { eventually } from '../eventually.ts';
import { type RunningProcess, runToEnd, startProcess } from './child-process.ts';
import { unpackDebianPackages, unpackedFolder } from './debian-packages.ts';
import { freePort } from './free-port.ts';
import { POSTGRES_PACKAGES } from './tools.ts';

const PROGRAMS = join('usr', 'lib', 'postgresql', '15', 'bin');
const SHARE = join('usr', 'share', 'postgresql', '15');

/** Folder of the test certificates: keys and certificates, signed by `ca.pem`. */
export const CERTIFICATES = join(import.meta.dirname, '..', 'certificates');

const NOBODY = 65_534;

/** Real PostgreSQL server with its own data folder. */
export interface PostgresServer {
  /** Address for `--state.url`. */
  readonly url: string;
  readonly port: number;
  readonly process: () => RunningProcess;
  /** Ends the server immediately (`SIGQUIT`, `SIGKILL`) or in order (`SIGINT`), and waits for its end. */
  readonly kill: (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL') => Promise<void>;
  /** Starts the server again on the same port. */
  readonly start: () => Promise<void>;
  readonly connections: (most?: number) => PostgresConnections;
}

/** Starts a PostgreSQL server. `onEnd` registers its stop; by default, for the end of the test. */
export async function startPostgres(
  onEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<PostgresServer> {
  await unpackDebianPackages(POSTGRES_PACKAGES);
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  if (isRoot()) await chown(folder, NOBODY, NOBODY);
  const data = join(folder, 'data');
  const programs = await programsIn(folder);
  await initialize(data, programs);
  await copyCertificates(folder);
  const port = await freePort();
  let running = await serve({ data, folder, port, programs });
  const url = `postgres://edge@127.0.0.1:${port}/postgres`;
  const address = postgresAddress({ url, passwordFile: undefined, env: {} });
  const opened: PostgresConnections[] = [];
  const kill = async (signal: NodeJS.Signals) => {
    running.kill(signal);
    await running.ended;
  };
  onEnd(async () => {
    await Promise.all(opened.map((connections) => connections.close()));
    if (running.running()) await kill('SIGINT');
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url,
    port,
    process: () => running,
    kill,
    async start() {
      running = await serve({ data, folder, port, programs });
    },
    connections(most = 4) {
      const connections = new PostgresConnections(address, most);
      opened.push(connections);
      return connections;
    },
  };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

type Programs = (name: string) => string;

async function programsIn(folder: string): Promise<Programs> {
  if (!isRoot()) return unpackedFolder;
  const copied = (name: string) => join(folder, 'programs', name);
  await Promise.all(
    POSTGRES_PACKAGES.map((name) =>
      cp(unpackedFolder(name), copied(name), { recursive: true, verbatimSymlinks: true }),
    ),
  );
  return copied;
}

function command(programs: Programs, program: string, args: readonly string[]) {
  const home = programs('postgresql-15');
  const libraries = POSTGRES_PACKAGES.map((name) => join(programs(name), 'usr', 'lib', 'x86_64-linux-gnu'));
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: libraries.join(':'), LC_ALL: 'C', TZ: 'UTC' };
  const path = join(home, PROGRAMS, program);
  return isRoot()
    ? { path: 'setpriv', args: [`--reuid=${NOBODY}`, '--clear-groups', path, ...args], env }
    : { path, args, env };
}

async function initialize(data: string, programs: Programs): Promise<void> {
  const share = join(programs('postgresql-15'), SHARE);
  const { code, stderr } = await runToEnd(
    command(programs, 'initdb', [
      '-L',
      share,
      '-D',
      data,
      '-U',
      'edge',
      '--auth=trust',
      '-E',
      'UTF8',
      '--locale=C',
    ]),
  );
  if (code !== 0) throw new Error(`initdb failed: ${stderr}`);
}

async function copyCertificates(folder: string): Promise<void> {
  for (const name of ['server.pem', 'server.key']) {
    const path = join(folder, name);
    await copyFile(join(CERTIFICATES, name), path);
    await chmod(path, 0o600);
    if (isRoot()) await chown(path, NOBODY, NOBODY);
  }
}

interface Served {
  readonly data: string;
  readonly folder: string;
  readonly port: number;
  readonly programs: Programs;
}

async function serve({ data, folder, port, programs }: Served): Promise<RunningProcess> {
  const settings = [
    'jit=off',
    `unix_socket_directories=${folder}`,
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'ssl=on',
    `ssl_cert_file=${join(folder, 'server.pem')}`,
    `ssl_key_file=${join(folder, 'server.key')}`,
  ];
  const running = await startProcess(
    command(programs, 'postgres', ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]),
  );
  await eventually(
    'PostgreSQL is ready',
    async () => !running.running() || running.stderr().includes('ready to accept connections'),
    { evidence: running.output },
  );
  if (!running.running()) throw new Error(`PostgreSQL ended: ${running.output()}`);
  return running;
}
