import { Agent, createServer, type IncomingMessage, request as post, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Trouble of a request on its way to a receiver. */
export type Trouble =
  | 'none'
  | 'hangs'
  | 'answers 500'
  | 'answers 429'
  | 'answers 400'
  | 'cuts the answer'
  | 'cuts the request';

export interface TroubledProxy {
  readonly url: string;
  target: string;
  /** Returns the trouble of the next request. */
  trouble: () => Trouble;
  readonly met: ReadonlyMap<Trouble, number>;
  readonly stop: () => Promise<void>;
}

const LARGE_BYTES = 1_000;

/** Starts a reverse proxy on the loopback interface with switchable troubles. */
export async function startTroubledProxy(target: string): Promise<TroubledProxy> {
  const met = new Map<Trouble, number>();
  const proxy = { target, trouble: (): Trouble => 'none' };
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    const drawn = proxy.trouble();
    void bodyOf(request)
      .then((body) => {
        const trouble = drawn === 'answers 400' && body.length < LARGE_BYTES ? 'none' : drawn;
        met.set(trouble, (met.get(trouble) ?? 0) + 1);
        return pass(trouble, { request, body, response, target: proxy.target, agent });
      })
      .catch(() => void response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}`,
    met,
    async stop() {
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly body: Buffer<ArrayBuffer>;
  readonly response: ServerResponse;
  readonly target: string;
  readonly agent: Agent;
}

async function pass(trouble: Trouble, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  if (trouble === 'hangs') return;
  if (trouble === 'cuts the request') return void response.destroy();
  if (trouble === 'answers 500') return void response.writeHead(500).end('no space left on device');
  if (trouble === 'answers 429') return void response.writeHead(429, { 'retry-after': '1' }).end('slow down');
  if (trouble === 'answers 400') return void response.writeHead(400).end('request too complex');
  const answer = await answerOf(exchange);
  const { statusCode: status = 502 } = answer;
  const said = await bodyOf(answer);
  if (trouble === 'cuts the answer') {
    response.writeHead(status === 204 ? 200 : status, { 'content-length': 1_000 });
    response.write('half of');
    setImmediate(() => response.destroy());
    return;
  }
  const { connection, 'transfer-encoding': transfer, 'content-length': length, ...headers } = answer.headers;
  response.writeHead(status, headers).end(said);
}

function answerOf({ request, body, target, agent }: Exchange): Promise<IncomingMessage> {
  const { host, connection, 'transfer-encoding': transfer, ...headers } = request.headers;
  return new Promise((resolve, reject) => {
    post(target + request.url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': body.length },
    })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
