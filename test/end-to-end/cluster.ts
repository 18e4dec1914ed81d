import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PostgresConnections } from '../../src/exporter/state/postgres-connections.ts';
import { migrate } from '../../src/exporter/state/postgres-schema.ts';
import { createSandbox, DEFAULT_TOKEN, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { auditCounters } from '../simulation/true-counters.ts';
import { configFile } from './config-file.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { freePort } from './free-port.ts';
import type { PostgresServer } from './postgres.ts';
import { openedByToken } from './postgres-state.ts';
import { storeCounters } from './prepared-counters.ts';

const SETTLED = 60_000;
const METRICS = ['cdn_requests'];

/** Request that arrived at the platform. */
export interface Arrival {
  readonly replica: string;
  readonly account: string;
  status: number | undefined;
}

/**
 * Accounts of one platform, each with its own quota. Each replica has its own address for requests, which
 * identifies it.
 */
export interface SharedPlatform {
  readonly arrivals: Arrival[];
  readonly accounts: ReadonlyMap<string, Sandbox>;
  /** Returns the address at which a replica reaches an account. */
  readonly addressOf: (replica: string, account: string) => string;
}

export async function servePlatform(
  replicas: readonly string[],
  accounts: readonly string[],
): Promise<SharedPlatform> {
  const arrivals: Arrival[] = [];
  const sandboxes = new Map<string, Sandbox>();
  const ports = new Map<string, number>();
  for (const account of accounts) {
    const sandbox = createSandbox({ settleMs: 20_000 });
    const { url, close } = await sandbox.listen(0);
    onTestFinished(close);
    sandboxes.set(account, sandbox);
    ports.set(account, Number(new URL(url).port));
  }
  const doors = new Map<string, number>();
  for (const replica of replicas) {
    const server = createServer((incoming, outgoing) => {
      const [, account = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(incoming.url ?? '') ?? [];
      const arrival: Arrival = { replica, account, status: undefined };
      arrivals.push(arrival);
      const onward = request(
        {
          port: ports.get(account),
          host: '127.0.0.1',
          path,
          method: incoming.method,
          headers: incoming.headers,
        },
        (answer) => {
          arrival.status = answer.statusCode;
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    doors.set(replica, (server.address() as AddressInfo).port);
  }
  return {
    arrivals,
    accounts: sandboxes,
    addressOf: (replica, account) => `http://127.0.0.1:${doors.get(replica)}/${account}`,
  };
}

/**
 * Sets every counter back by a few settled buckets. The first poll counts these buckets; a new counter would
 * wait until a whole bucket has settled.
 */
export async function countFromNow(
  platform: SharedPlatform,
  connections: PostgresConnections,
): Promise<void> {
  await migrate(connections);
  const since = Date.now() - 4 * SETTLED;
  for (const [account, sandbox] of platform.accounts)
    await storeCounters(await openedByToken(connections, account), {
      sandbox,
      account,
      metrics: METRICS,
      since,
    });
}

interface DatabaseDoor {
  readonly port: number;
  readonly cut: () => void;
  readonly mend: () => void;
}

async function databaseDoor(to: number): Promise<DatabaseDoor> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createTcpServer((socket) => {
    const onward = connect(to, '127.0.0.1');
    for (const end of [socket, onward]) {
      open.add(end);
      end
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(end);
          socket.destroy();
          onward.destroy();
        });
    }
    // A cut connection passes no data on, like a network that loses packets.
    if (!isCut) socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const destroyAll = () => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    destroyAll();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of open) socket.unpipe().pause();
    },
    mend() {
      isCut = false;
      destroyAll();
    },
  };
}

interface Sent {
  readonly at: number;
  readonly by: string;
  readonly account: string;
}

const NOTES_REQUESTS = `
  import { subscribe } from 'node:diagnostics_channel';
  import { openSync, writeSync } from 'node:fs';
  const notes = openSync(process.env.NOTED_REQUESTS, 'a');
  subscribe('undici:client:sendHeaders', ({ request }) =>
    writeSync(notes, Date.now() + ' ' + request.path + '\\n'));`;

async function readSent(file: string, by: string): Promise<Sent[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return [...text.matchAll(/^(\d+) \/([^/]+)\/.*\n/gm)].map(([, at, account = '']) => ({
    at: Number(at),
    by,
    account,
  }));
}

function nameOf(by: string): string {
  return by.replace(/\.\d+$/, '');
}

/** Replica with a constant name and address, whose process can be replaced. */
export interface ReplicaPlace {
  readonly name: string;
  readonly process: () => ExporterProcess;
  readonly start: () => Promise<void>;
  readonly database: Pick<DatabaseDoor, 'cut' | 'mend'>;
  readonly sent: () => Promise<readonly Sent[]>;
}

export async function replicaPlace(
  name: string,
  platform: SharedPlatform,
  database: PostgresServer,
  push: readonly object[] = [],
): Promise<ReplicaPlace> {
  const accounts = [...platform.accounts.keys()].map((account) => ({
    name: account,
    api_url: platform.addressOf(name, account),
    token: DEFAULT_TOKEN.token,
    publish_delay: `${SETTLED}ms`,
    settle_delay: `${SETTLED}ms`,
    collectors: {
      metrics: { schedule: '*/15 * * * * *', products: { edge_applications: { metrics: METRICS } } },
    },
  }));
  const { path } = await configFile({ accounts, push });
  const port = await freePort();
  const door = await databaseDoor(database.port);
  const url = database.url.replace(`:${database.port}`, `:${door.port}`);
  const notes = await mkdtemp(join(tmpdir(), 'requests-'));
  let running: ExporterProcess | undefined;
  let lives = 0;
  onTestFinished(async () => {
    await running?.kill('SIGKILL');
    await rm(notes, { recursive: true });
  });
  const processName = (life: number) => `${name}.${life}`;
  return {
    name,
    database: door,
    async sent() {
      const names = Array.from({ length: lives }, (_, before) => processName(before + 1));
      return (await Promise.all(names.map((by) => readSent(join(notes, by), by)))).flat();
    },
    process() {
      if (running === undefined) throw new Error(`${name} does not run`);
      return running;
    },
    async start() {
      lives += 1;
      running = await startExporter({
        port,
        args: [
          'serve',
          `--config.file=${path}`,
          `--state.url=${url}`,
          `--state.replica=${processName(lives)}`,
        ],
        env: {
          NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTES_REQUESTS)}`,
          NOTED_REQUESTS: join(notes, processName(lives)),
        },
      });
    },
  };
}

const SHOWN =
  /^(?:edge_\w+_total\{[^}]*account="([^"]+)"[^}]*configuration_id=|edge_exporter_account_owner\{account="([^"]+)"\} 1)/gm;

/**
 * Scrapes all replicas. Returns, for each account, the replicas that expose its counters or claim to own it.
 * @param timeoutMs timeout of each scrape; a replica that does not answer in time counts as exposing nothing
 */
export async function shownBy(
  replicas: readonly ReplicaPlace[],
  timeoutMs = 20_000,
): Promise<ReadonlyMap<string, string[]>> {
  const shown = new Map<string, string[]>();
  const began = performance.now();
  const bodies = await Promise.all(
    replicas.map(async ({ name, process }) => {
      // A process that is stopped by a signal does not answer.
      const answer = await fetch(`${process().url}/metrics`, { signal: AbortSignal.timeout(timeoutMs) })
        .then((response) => response.text())
        .catch(() => '');
      // On a busy machine, the timeout may fire late.
      return [name, performance.now() - began < timeoutMs ? answer : ''] as const;
    }),
  );
  for (const [name, body] of bodies) {
    const lines = [...body.matchAll(SHOWN)].map(([, counted, owned]) => counted ?? owned ?? '');
    const accounts = new Set(lines);
    for (const account of accounts) shown.set(account, [...(shown.get(account) ?? []), name]);
  }
  return shown;
}

/**
 * Makes the database record every change of an owner from now on, including releases. The database's own
 * record keeps only the newest thousand acquisitions.
 */
export async function noteOwners(connections: PostgresConnections): Promise<void> {
  await migrate(connections);
  await connections.query(
    'CREATE TABLE owners (id bigserial PRIMARY KEY, at timestamptz DEFAULT clock_timestamp(), account text, owner text)',
  );
  await connections.query(
    `CREATE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO public.owners (account, owner)
         VALUES (NEW.name, (SELECT name FROM exporter_state.replicas WHERE id = NEW.owner));
       RETURN NULL;
     END $$`,
  );
  await connections.query(
    `CREATE TRIGGER note_owner AFTER UPDATE OF owner ON exporter_state.accounts FOR EACH ROW
       WHEN (OLD.owner IS DISTINCT FROM NEW.owner) EXECUTE FUNCTION note_owner()`,
  );
}

/**
 * Returns the requests of processes that did not own the account according to `noteOwners`, and the requests
 * without a record. The sender records the time, because a busy platform may record a request seconds later.
 */
export async function foreignRequests(
  replicas: readonly ReplicaPlace[],
  { arrivals }: SharedPlatform,
  connections: PostgresConnections,
): Promise<string[]> {
  const changes = await connections.query(
    "SELECT extract(epoch FROM at) * 1000 AS at, account, coalesce(owner, 'nobody') AS owner FROM owners ORDER BY id",
  );
  const sent = (await Promise.all(replicas.map((replica) => replica.sent()))).flat();
  const time = (at: number) => new Date(at).toISOString().slice(11, 23);
  const foreign = sent.flatMap(({ at, by, account }) => {
    const own = changes.filter((change) => change['account'] === account);
    if (own.findLast((change) => Number(change['at']) <= at)?.['owner'] === by) return [];
    const history = own.map((change) => `${change['owner']} from ${time(Number(change['at']))}`).join(', ');
    return [`${time(at)} ${account} asked by ${by}: ${history}`];
  });
  const countOf = <T>(list: readonly T[], keyOf: (one: T) => string) =>
    list.reduce(
      (counts, one) => counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1),
      new Map<string, number>(),
    );
  const noted = countOf(sent, ({ by, account }) => `${nameOf(by)} asked ${account}`);
  const arrived = countOf(arrivals, ({ replica, account }) => `${replica} asked ${account}`);
  return [
    ...foreign,
    ...[...arrived].flatMap(([what, times]) =>
      times > (noted.get(what) ?? 0) ? [`${what} ${times} times, and noted fewer`] : [],
    ),
  ];
}

/** Compares every counter in the database with the platform's true values. */
export async function auditAll(
  { accounts }: SharedPlatform,
  connections: PostgresConnections,
): Promise<{
  readonly wrong: readonly string[];
  readonly series: number;
  readonly buckets: number;
  readonly oldest: number;
}> {
  const wrong: string[] = [];
  let [series, buckets, oldest] = [0, 0, Number.POSITIVE_INFINITY];
  for (const [account, sandbox] of accounts) {
    const audit = auditCounters(await openedByToken(connections, account), sandbox);
    wrong.push(...audit.wrong);
    series += audit.series;
    buckets += audit.buckets;
    oldest = Math.min(oldest, audit.oldestWatermark);
  }
  return { wrong, series, buckets, oldest };
}
