import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLoginVerifier, type Login, type Users, type VerifyLogin } from './login-verifier.ts';
import { isAwaited, sendText } from './responses.ts';

/** Whether a request may go on; where it may not, it has been answered. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** Lets a request pass when no users are configured, or when it carries one's name and password (RFC 7617). */
export function createGate(users: () => Users, verify: VerifyLogin = createLoginVerifier()): Gate {
  return (request, response) => {
    const known = users();
    return known.size === 0 || admits(known, request, response, verify);
  };
}

async function admits(
  users: Users,
  request: IncomingMessage,
  response: ServerResponse,
  verify: VerifyLogin,
): Promise<boolean> {
  const login = parseAuthorization(request.headers.authorization);
  const client = request.socket.remoteAddress ?? '';
  const verdict = login === undefined ? false : await verify(users, login, client);
  if (!isAwaited(response)) return false;
  if (verdict === true) return true;
  if (verdict === 'busy') {
    response.setHeader('Retry-After', '1');
    sendText(response, 503, ['Too many logins are being verified.']);
    return false;
  }
  response.setHeader('WWW-Authenticate', 'Basic realm="edge-exporter", charset="UTF-8"');
  sendText(response, 401, ['A user name and password are required.']);
  return false;
}

/** The login in an `Authorization` header, or `undefined` where it holds none. */
export function parseAuthorization(header: string | undefined): Login | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
