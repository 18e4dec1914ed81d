import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { createWeb, type WebOptions } from '../../../src/exporter/web/web.ts';
import { madeUpStatus } from '../page/made-up-status.ts';

/** Log line with its level, fields and message. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** Returns a log, and its lines for tests. */
export function keptLog() {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } };
}

/** Starts the HTTP server on a free port of this machine. It closes when the test finishes. */
export async function startWeb(changes: Partial<WebOptions> = {}) {
  const { lines, log } = keptLog();
  const web = createWeb({
    telemetryPath: '/metrics',
    exposition: (_, encoding) => [encoding === 'gzip' ? gzipSync('edge_up 1\n') : Buffer.from('edge_up 1\n')],
    status: () => madeUpStatus(),
    notReady: () => [],
    reload: async () => ({ ok: true }),
    logLevel: { levels: ['debug', 'info'], read: () => 'info', set: () => undefined },
    log,
    lifecycle: true,
    connections: 1_000,
    closeTimeout: 100,
    ...changes,
  });
  await web.listen('127.0.0.1:0');
  onTestFinished(() => web.close());
  const [url = ''] = web.urls();
  return { web, url, port: Number(new URL(url).port), lines };
}

/** Sends `request` unchanged, and returns all bytes until the server closes the connection. */
export async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  // A refusal may end with a reset of the connection.
  socket.on('error', () => {});
  socket.write(request);
  await once(socket, 'close');
  return answer;
}

/** Writes a web configuration file with this text, and removes it when the test finishes. */
export function written(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'web-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'web.yaml');
  writeFileSync(path, text);
  return path;
}

/** Returns the Authorization header of a login, `name:password`. */
export function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}
