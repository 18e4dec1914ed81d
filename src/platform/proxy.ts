import type { Secret } from '../secret.ts';

/** A proxy that opens a tunnel to the platform by CONNECT. */
export interface ProxyServer {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What named it, a key or a variable. */
  readonly from: string;
  readonly login?: { readonly password: Secret; readonly basic: Secret };
}

/** Where on the way through a proxy a connection failed. */
export type ProxyStep = 'connection' | 'login' | 'refusal' | 'tunnel';

/** A connection that a proxy did not let through. The message says why and holds no secret. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly step: ProxyStep;

  constructor(step: ProxyStep, message: string, cause?: unknown) {
    super(message, { cause });
    this.step = step;
  }
}

/** Everything of a proxy that must not show. */
export function secretsOfProxy(proxy: ProxyServer | undefined): readonly Secret[] {
  return proxy?.login === undefined ? [] : Object.values(proxy.login);
}
