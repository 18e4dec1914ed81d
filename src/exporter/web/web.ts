import { openWebConfig, type WebLog } from './config-file.ts';
import { Connections } from './connections.ts';
import { createAnswer, createRouter, failWith } from './request-handler.ts';
import type { WebSources } from './routes.ts';
import { close, createServer, listen, urlOf } from './server.ts';

export interface WebOptions extends WebSources {
  /** A file in the form of exporter-toolkit's web configuration: TLS, basic auth, headers. */
  readonly webConfigFile?: string | undefined;
  readonly log: WebLog;
  /** Whether a request may load the configuration anew. Default: no. */
  readonly lifecycle?: boolean;
  /** Names that this server goes by; requests for other names are refused. Default: every name. */
  readonly allowedHosts?: readonly string[];
  /** Connections at a time, over all listeners. */
  readonly connections: number;
  /** Milliseconds that one answer may take, from the request to its last byte. Default: 60 s. */
  readonly answerTimeout?: number;
  /** Milliseconds that answers under way have when the server closes. Default: 1.5 s. */
  readonly closeTimeout?: number;
}

/** The exporter's HTTP server. */
export interface Web {
  /**
   * Starts listening on one more address: `:9801`, `host:9801` or `[::1]:9801`.
   * @throws Error when the address cannot be used
   */
  listen(address: string): Promise<void>;
  /** The addresses as this machine reaches them, without a trailing slash, in the order in which they were taken. */
  urls(): string[];
  /** Takes no more requests, lets those under way end, and cuts off what has not ended in time. */
  close(): Promise<void>;
}

/**
 * The whole HTTP surface, not listening yet.
 * @throws WebConfigError when the web configuration file is not usable
 */
export function createWeb(options: WebOptions): Web {
  const { log } = options;
  const webConfig = openWebConfig(options.webConfigFile, log);
  const onFailure = failWith(log);
  const answer = createAnswer({
    webConfig,
    route: createRouter(options, options.lifecycle ?? false, onFailure),
    onFailure,
    allowedHosts: options.allowedHosts ?? [],
    timeout: options.answerTimeout ?? 60_000,
  });
  const connections = new Connections({ limit: options.connections, log, answer });
  const servers: ReturnType<typeof createServer>[] = [];
  return {
    async listen(address) {
      const server = createServer(connections, webConfig);
      await listen(server, address, log);
      servers.push(server);
    },
    urls: () => servers.map(urlOf).filter((url) => url !== ''),
    async close() {
      connections.close();
      await Promise.all(servers.map((server) => close(server, options.closeTimeout ?? 1_500)));
    },
  };
}
