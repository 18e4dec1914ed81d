/** Where a server listens; without a host, on every interface. */
export interface ListenAddress {
  readonly host?: string;
  readonly port: number;
}

/** An address in Go's form: `:9801`, `host:9801`, `[::1]:9801`. @throws Error whose message says what is wrong */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:\[(?<ip6>[0-9a-fA-F:.]+(?:%\w+)?)\]|(?<host>[^\s:[\]/]*)):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port'] ?? Number.NaN);
  if (!(port <= 65_535)) {
    throw new Error(`"${text}" is not a listen address: expected ":9801", "host:9801" or "[::1]:9801"`);
  }
  const host = match?.groups?.['ip6'] ?? match?.groups?.['host'] ?? '';
  return host === '' ? { port } : { host, port };
}
