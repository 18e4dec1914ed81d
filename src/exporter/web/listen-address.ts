/** An address to listen on. Without a host, all interfaces. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

/** Parses an address in Go's form: `:9801`, `host:9801`, `[::1]:9801`; undefined for any other text. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[(?<ip6>[0-9a-fA-F:.]+(?:%\w+)?)\]|(?<host>[^\s:[\]/]*)):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port'] ?? Number.NaN);
  if (!(port <= 65_535)) return undefined;
  const host = match?.groups?.['ip6'] ?? match?.groups?.['host'] ?? '';
  return host === '' ? { port } : { host, port };
}
