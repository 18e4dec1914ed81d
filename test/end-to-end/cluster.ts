import { createServer, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
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

/** A request as it arrived at the platform. */
export interface Arrival {
  readonly at: number;
  /** By whose door it came. */
  readonly replica: string;
  readonly account: string;
  status: number | undefined;
}

/** Accounts of the platform, each with a quota of its own, and a door for each replica, so that it is seen who asks. */
export interface SharedPlatform {
  readonly arrivals: Arrival[];
  readonly accounts: ReadonlyMap<string, Sandbox>;
  /** The address of an account by a replica's door. */
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
      const arrival: Arrival = { at: Date.now(), replica, account, status: undefined };
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

/** A way to the database that can be cut. */
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
    // What is cut answers nothing, as where packets are lost.
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

/** A replica's place: processes come and go there, at one address. */
export interface ReplicaPlace {
  readonly name: string;
  readonly process: () => ExporterProcess;
  readonly start: () => Promise<void>;
  readonly database: Pick<DatabaseDoor, 'cut' | 'mend'>;
}

export async function replicaPlace(
  name: string,
  platform: SharedPlatform,
  database: PostgresServer,
): Promise<ReplicaPlace> {
  const accounts = [...platform.accounts.keys()].map((account) => ({
    name: account,
    api_url: platform.addressOf(name, account),
    token: DEFAULT_TOKEN.token,
    publish_delay: '1m',
    settle_delay: '1m',
    collectors: {
      metrics: { schedule: '*/15 * * * * *', products: { edge_applications: { metrics: ['cdn_requests'] } } },
    },
  }));
  const { path } = await configFile({ accounts });
  const port = await freePort();
  const door = await databaseDoor(database.port);
  const url = database.url.replace(`:${database.port}`, `:${door.port}`);
  let running: ExporterProcess | undefined;
  let lives = 0;
  onTestFinished(async () => {
    await running?.kill('SIGKILL');
  });
  return {
    name,
    database: door,
    process() {
      if (running === undefined) throw new Error(`${name} does not run`);
      return running;
    },
    async start() {
      lives += 1;
      running = await startExporter({
        port,
        args: ['serve', `--config.file=${path}`, `--state.url=${url}`, `--state.replica=${name}.${lives}`],
      });
    },
  };
}

/** A counter of an account, or that it is owned. */
const SHOWN =
  /^(?:edge_\w+_total\{[^}]*account="([^"]+)"[^}]*configuration_id=|edge_exporter_account_owner\{account="([^"]+)"\} 1)/gm;

/**
 * What a scrape of all replicas showed: by account, the replicas that show its counters, or that they own it.
 * @param timeoutMs within which each answers; one that does not shows nothing
 */
export async function shownBy(
  replicas: readonly ReplicaPlace[],
  timeoutMs = 20_000,
): Promise<ReadonlyMap<string, string[]>> {
  const shown = new Map<string, string[]>();
  const bodies = await Promise.all(
    replicas.map(async ({ name, process }) => {
      // One that is stopped answers nobody.
      const answer = await fetch(`${process().url}/metrics`, { signal: AbortSignal.timeout(timeoutMs) })
        .then((response) => response.text())
        .catch(() => '');
      return [name, answer] as const;
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
 * Has the database note every change of an owner, also of one that leaves an account to nobody, for as long as it lives: its
 * own record of moves keeps the newest thousand, and those that took an account.
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

/** A busy machine notes an arrival so much later (ms): less than a lease ends before another may begin. */
const LATE_MS = 1_000;

/** Requests that came from another replica than the one that owned the account then, by what `noteOwners` had noted. */
export async function foreignRequests(
  { arrivals }: SharedPlatform,
  connections: PostgresConnections,
): Promise<string[]> {
  const rows = await connections.query(
    'SELECT extract(epoch FROM at) * 1000 AS at, account, owner FROM owners ORDER BY id',
  );
  const changes = rows.map(({ at, account, owner }) => ({
    at: Number(at),
    account: String(account),
    owner: owner === null ? 'nobody' : String(owner).replace(/\.\d+$/, ''),
  }));
  const time = (at: number) => new Date(at).toISOString().slice(11, 23);
  return arrivals.flatMap(({ at: arrivedAt, account, replica }) => {
    const own = changes.filter((change) => change.account === account);
    const last = own.findLastIndex(({ at }) => at <= arrivedAt - LATE_MS);
    const since = own.slice(Math.max(0, last)).filter(({ at }) => at <= arrivedAt);
    if (since.some(({ owner }) => owner === replica)) return [];
    const history = own.map(({ at, owner }) => `${owner} from ${time(at)}`).join(', ');
    return [`${time(arrivedAt)} ${account} asked by ${replica}: ${history}`];
  });
}

/** Compares every counter in the database with the platform's truth. */
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
