import { type PeerCertificate, TLSSocket } from 'node:tls';
import { connectorOf, type Route } from '../platform/connector.ts';
import { duration } from '../text/duration.ts';
import type { Endpoint } from './endpoint.ts';
import { type Step, stepsNamed } from './step.ts';

/** The part of a certificate that an operator acts on. */
export type Certificate = Pick<PeerCertificate, 'valid_to' | 'subject' | 'issuer'>;

/** A certificate that expires this soon (ms) is worth a warning. */
const SOON_MS = 14 * 86_400_000;

/**
 * Shakes hands with a server as the exporter does, by the same route, and returns the server's certificate.
 * Rejects with the error of the connection.
 */
export function shakeHands(endpoint: Endpoint, route: Route, timeoutMs: number): Promise<Certificate> {
  const { host, port } = endpoint;
  const target = { hostname: host, host: `${host}:${port}`, port: String(port), protocol: 'https:' };
  return new Promise((resolve, reject) => {
    connectorOf(route, { timeoutMs })(target, (...[error, socket]) => {
      if (error !== null) return reject(error);
      const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
      socket.destroy();
      if (certificate === undefined) reject(new Error('the connection is not encrypted'));
      else resolve(certificate);
    });
  });
}

/** Whether a server speaks TLS, under whatever certificate. */
export function speaksTls(endpoint: Endpoint, route: Route, timeoutMs: number): Promise<boolean> {
  return shakeHands(endpoint, route, timeoutMs).then(
    () => true,
    // A certificate that is not trusted was shown by something that speaks TLS.
    (error: unknown) => /^(ERR_TLS_)?CERT_|SELF_SIGNED|^UNABLE_TO_/.test(codeOf(error)),
  );
}

/** What a trusted certificate says at `now` (local ms). */
export function certificateStep({ valid_to, subject, issuer }: Certificate, now: number): Step {
  const { ok, warning } = stepsNamed('TLS');
  const left = Date.parse(valid_to) - now;
  const [name, authority] = [subject?.CN ?? 'the host', issuer?.O ?? issuer?.CN ?? 'an authority'];
  const text = `the certificate of ${String(name)} by ${String(authority)} is valid until ${dayOf(valid_to)}, for ${duration(left / 1_000)}`;
  return left < SOON_MS ? warning(`${text}: the platform must renew it`) : ok(text);
}

function dayOf(date: string): string {
  return new Date(date).toISOString().slice(0, 10);
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
