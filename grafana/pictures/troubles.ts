import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

const MINUTE = 60_000;

/** What a trouble may touch. */
export interface Troubled {
  readonly sandbox: Sandbox;
  /** The account's token file. */
  readonly tokenFile: string;
  readonly token: string;
  readonly stateDirectory: string;
  /** Stops the exporter, does something, and starts it again. */
  restart(between: () => Promise<void>): Promise<void>;
}

/** The troubles that dashboards are photographed in, by name; `none` ends all but the attack. */
const TROUBLES: Readonly<Record<string, (troubled: Troubled) => Promise<void>>> = {
  async 'refused-token'({ tokenFile }) {
    await writeFile(tokenFile, 'revoked');
  },
  async 'rate-limited'({ sandbox }) {
    sandbox.faults.patch({ rate_limited: { retry_after: 120 } });
  },
  async 'platform-down'({ sandbox }) {
    sandbox.faults.patch({ server_error: { status: 503 } });
  },
  async 'late-data'({ sandbox }) {
    sandbox.faults.patch({ late_data: { minutes: 25 } });
  },
  async attack({ sandbox }) {
    const [configuration] = sandbox.account.applications;
    if (configuration === undefined) throw new Error('nobody to attack');
    const from = Date.now() - 2 * MINUTE;
    const to = from + 60 * MINUTE;
    sandbox.inject({ kind: 'waf_attack', configuration: configuration.id, from, to, per_minute: 5_000 });
  },
  async 'missing-state'({ stateDirectory, restart }) {
    await restart(async () => {
      await rm(stateDirectory, { recursive: true, force: true });
      await writeFile(stateDirectory, '');
    });
  },
  async none({ sandbox, tokenFile, token, stateDirectory }) {
    sandbox.faults.patch({ rate_limited: null, server_error: null, late_data: null });
    await writeFile(tokenFile, token);
    await rm(stateDirectory, { force: true }).catch(() => undefined);
  },
};

/** Listens for `POST /TROUBLE?account=NAME`. @returns the address, and how to end it */
export async function listenForTroubles(
  troubledOf: (account: string) => Troubled | undefined,
): Promise<{ url: string; server: Server }> {
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const account = searchParams.get('account') ?? 'production';
    const cause = TROUBLES[pathname.slice(1)];
    const troubled = troubledOf(account);
    if (req.method !== 'POST' || cause === undefined || troubled === undefined) {
      res.writeHead(404).end(`POST /${Object.keys(TROUBLES).join('|')}?account=production\n`);
      return;
    }
    try {
      await cause(troubled);
      res.end(`${account}: ${pathname.slice(1)}\n`);
    } catch (error) {
      res.writeHead(500).end(`${String(error)}\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
