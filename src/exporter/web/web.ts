import type { WebLog } from './config-file.ts';
import { openWebConfig } from './config-file.ts';
import type { AppOptions } from './routes.ts';
import { close, createServer, listen, urlOf } from './server.ts';

export interface WebOptions extends AppOptions {
  /** A file in the form of exporter-toolkit's web configuration: TLS, basic auth, headers. */
  readonly webConfigFile?: string | undefined;
  readonly log: WebLog;
  /** Connections at a time, of each listener. */
  readonly connections: number;
  /** Milliseconds that answers under way have when the server closes. Default: 1.5 s. */
  readonly closeTimeout?: number;
}

/** The exporter's HTTP server. */
export interface Web {
  /** Starts listening on one more address: `:9801`, `host:9801` or `[::1]:9801`. @throws ListenError */
  listen(address: string): Promise<void>;
  /** The addresses as this machine reaches them, without a trailing slash, in the order in which they were taken. */
  urls(): string[];
  /** Refuses new requests, lets running ones end, and cuts off those that take too long. */
  close(): Promise<void>;
}

/** Makes the whole HTTP surface, not listening yet. @throws WebConfigError when the web configuration file is not usable */
export function createWeb(options: WebOptions): Web {
  const { log, connections, closeTimeout = 1_500 } = options;
  const webConfig = openWebConfig(options.webConfigFile, log);
  const servers: ReturnType<typeof createServer>[] = [];
  let isClosing = false;
  return {
    async listen(address) {
      // Loaded here: no other command needs Express.
      const { createApp } = await import('./routes.ts');
      const app = createApp(options, webConfig, log, () => isClosing);
      const server = createServer(app, webConfig, connections, log);
      await listen(server, address, log);
      servers.push(server);
    },
    urls: () => servers.map(urlOf).filter((url) => url !== ''),
    async close() {
      isClosing = true;
      await Promise.all(servers.map((server) => close(server, closeTimeout)));
    },
  };
}
