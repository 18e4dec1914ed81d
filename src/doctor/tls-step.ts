import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import { plainDuration } from '../plan/plain-words.ts';
import { type Step, stepsNamed } from './step.ts';

/** The part of a certificate that an operator acts on. */
export type Certificate = Pick<PeerCertificate, 'valid_to' | 'subject' | 'issuer'>;

export interface HandshakeOptions {
  readonly timeoutMs: number;
  /** Whether a certificate must be trusted, for its host and by this machine, or any will do. */
  readonly trusted: 'only' | 'or_not';
}

/** A certificate that lapses this soon (ms) is worth a warning. */
const SOON_MS = 14 * 86_400_000;

/** Shakes hands with a server and returns its certificate. Rejects with the error of the socket. */
export function shakeHands(
  { host, port }: { readonly host: string; readonly port: number },
  { timeoutMs, trusted }: HandshakeOptions,
): Promise<Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      // A server name that is an address is not allowed (RFC 6066).
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: trusted === 'only',
      timeout: timeoutMs,
    });
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      end(() => resolve(certificate));
    });
    socket.once('timeout', () =>
      end(() => reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))),
    );
    socket.once('error', (error) => end(() => reject(error)));
  });
}

/** What a trusted certificate says at `now` (local ms). */
export function certificateStep({ valid_to, subject, issuer }: Certificate, now: number): Step {
  const { ok, warning } = stepsNamed('TLS');
  const left = Date.parse(valid_to) - now;
  const [name, authority] = [subject?.CN ?? 'the host', issuer?.O ?? issuer?.CN ?? 'an authority'];
  const text = `the certificate of ${String(name)} by ${String(authority)} is valid until ${dayOf(valid_to)}, for ${plainDuration(left / 1_000)}`;
  return left < SOON_MS ? warning(`${text}: the platform must renew it`) : ok(text);
}

function dayOf(date: string): string {
  return new Date(date).toISOString().slice(0, 10);
}
