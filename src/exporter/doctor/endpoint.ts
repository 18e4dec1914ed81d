/** Where a connection leads, taken from an address. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly encrypted: boolean;
}

/** Where the base address of an API, or the address of a proxy, leads. */
export function endpointOf(address: string): Endpoint {
  const { hostname, port, protocol } = new URL(address);
  const encrypted = protocol === 'https:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (encrypted ? 443 : 80) : Number(port),
    encrypted,
  };
}
