import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { expect, it } from 'vitest';
import { renderPage } from '../../src/exporter/page/page.ts';
import { parsePageQuery } from '../../src/exporter/page/query.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { words } from '../exporter/page/rendered.ts';
import { startConnectProxy } from '../exporter/platform/connect-proxy.ts';
import { certificateFile, startTlsUpstream } from '../exporter/platform/tls-upstream.ts';
import { served } from '../served.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const LIST = { collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } } };

async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await served(createServer(answer))}`;
}

async function brokenWays(): Promise<readonly [account: Record<string, unknown>, says: RegExp][]> {
  const tls = await startTlsUpstream();
  const hangsUp = createTcpServer((socket) => socket.on('error', () => undefined).resetAndDestroy());
  const closed = createTcpServer();
  const refused = await served(closed);
  closed.close();
  const through = async (proxy: 'asks for a password' | 'refuses') => ({
    api_url: 'https://edge.example',
    request: { proxy: (await startConnectProxy(proxy)).origin },
  });
  const page = '<html><title>Log in</title></html>';
  return [
    [
      { api_url: 'https://edge.invalid' },
      /cannot be reached: (host not found|the host name could not be resolved)/,
    ],
    [{ api_url: `http://127.0.0.1:${refused}` }, /cannot be reached: connection refused/],
    [
      { api_url: `http://127.0.0.1:${await served(hangsUp)}` },
      /cannot be reached: connection (reset|closed)/,
    ],
    [
      { api_url: `https://127.0.0.1:${tls.port}` },
      /cannot be reached: certificate is signed by an unknown authority/,
    ],
    [
      {
        api_url: `https://127.0.0.1:${tls.port}`,
        request: { ca_file: certificateFile('ca.pem'), server_name: 'other.example' },
      },
      /cannot be reached: certificate is for another host/,
    ],
    [
      await through('asks for a password'),
      /cannot be reached: the proxy .* asks for a user name and password/,
    ],
    [await through('refuses'), /cannot be reached: the proxy .* refuses/],
    [
      {
        api_url: await serve(
          (_, response) => void response.writeHead(302, { location: 'https://login.example/' }).end(),
        ),
      },
      /redirect to another origin \(login\.example\) refused: is api_url right\?/,
    ],
    [
      {
        api_url: await serve((_, response) => void response.setHeader('content-type', 'text/html').end(page)),
      },
      /answers 200 with HTML, unlike the platform's API: is api_url right\?/,
    ],
  ];
}

it('names for each of nine accounts its own reason on the page, and takes none for another', async () => {
  const ways = await brokenWays();
  simulation = await simulate({
    account: LIST,
    furtherAccounts: ways.map(([account], index) => ({ name: `broken-${index}`, ...LIST, ...account })),
  });
  await simulation.minutes(2);
  const accounts = simulation.exporter().accounts();
  const now = simulation.clock.wall();
  const options = { query: parsePageQuery(''), now, telemetryPath: '/metrics' };
  const text = words(renderPage(madeUpStatus({ accounts }), options));
  expect(text).not.toContain('the same goes for');
  for (const [index, [, says]] of ways.entries()) {
    const account = accounts.find(({ name }) => name === `broken-${index}`);
    if (account === undefined) throw new Error('it is configured');
    const judgement = account.facts;
    expect(judgement.says).toMatch(says);
    expect(text).toContain(judgement.causes[0]?.text ?? 'nothing');
  }
});
