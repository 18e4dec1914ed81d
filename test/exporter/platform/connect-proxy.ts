import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Behaviour of a proxy for CONNECT requests. */
export type Behaviour =
  | 'lets through'
  | 'asks for a password'
  | 'refuses'
  | 'says nothing'
  | 'hangs up'
  | 'lets through, then hangs up'
  | 'speaks no HTTP';

export interface ConnectProxy {
  readonly origin: string;
  readonly port: number;
  /** Method, target and headers of all requests, and all bytes in the tunnels. */
  readonly seen: { readonly requests: readonly IncomingMessage[]; readonly tunnelled: () => string };
}

/** Starts a proxy in this process that can fail at each step, and records its traffic. */
export async function startConnectProxy(
  behaviour: Behaviour = 'lets through',
  server: Server = createServer(),
): Promise<ConnectProxy> {
  const requests: IncomingMessage[] = [];
  const tunnelled: Buffer[] = [];
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (behaviour === 'speaks no HTTP') socket.end('220 mail.example.net ESMTP\r\n');
  });
  server.on('request', (request, response) => {
    requests.push(request);
    response.writeHead(500).end();
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    requests.push(request);
    client.on('error', () => undefined);
    const answer = (status: string) => client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
    if (behaviour === 'asks for a password') return answer('407 Proxy Authentication Required');
    if (behaviour === 'refuses') return answer('403 Forbidden');
    if (behaviour === 'says nothing') return undefined;
    if (behaviour === 'hangs up') return client.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (behaviour === 'lets through, then hangs up') return client.once('data', () => client.destroy());
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port || 80), hostname.replace(/^\[(.*)\]$/, '$1'));
    upstream.on('error', () => client.destroy());
    sockets.add(upstream);
    client.on('data', (bytes) => tunnelled.push(bytes));
    return client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    port,
    seen: { requests, tunnelled: () => Buffer.concat(tunnelled).toString('latin1') },
  };
}
