import type { WebLog } from './config-file.ts';
import { openWebConfig } from './config-file.ts';
import type { AppOptions } from './routes.ts';
import { close, createServer, listen, urlOf } from './server.ts';

export interface WebOptions extends AppOptions {
  /** Path of a file in the form of exporter-toolkit's web configuration: TLS, basic auth, headers. */
  readonly webConfigFile?: string | undefined;
  readonly log: WebLog;
  /** Maximum number of connections per listener. */
  readonly connections: number;
  /** Time (ms) that responses in progress have when the server closes; default: 1.5 s. */
  readonly closeTimeout?: number;
}

/** The exporter's HTTP server. */
export interface Web {
  /** Starts listening on another address: `:9801`, `host:9801` or `[::1]:9801`. @throws ListenError */
  listen(address: string): Promise<void>;
  /** Returns the URLs for clients on this machine, without a trailing slash, in the order in which the addresses were added. */
  urls(): string[];
  /** Refuses new requests, waits for responses in progress, and aborts those that exceed the timeout. */
  close(): Promise<void>;
}

/** Creates the HTTP server without listening. @throws WebConfigError if the web configuration file cannot be used */
export function createWeb(options: WebOptions): Web {
  const { log, connections, closeTimeout = 1_500 } = options;
  const webConfig = openWebConfig(options.webConfigFile, log);
  const servers: ReturnType<typeof createServer>[] = [];
  let isClosing = false;
  return {
    async listen(address) {
      // Loaded here, because no other command needs Express.
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
