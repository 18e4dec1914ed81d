import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BadStateUrl, postgresAddress, tlsAttempts } from '../../../src/exporter/state/postgres-address.ts';

function addressOf(url: string, env: NodeJS.ProcessEnv = {}, passwordFile?: string) {
  return postgresAddress({ url, passwordFile, env });
}

describe('the address of a PostgreSQL', () => {
  it('is what the URL says, and else what the variables say that libpq knows', async () => {
    const full = addressOf('postgres://me:s%40crt@db.example:6432/edge?sslmode=verify-full');
    expect(full).toMatchObject({ host: 'db.example', port: 6432, database: 'edge', user: 'me' });
    expect(await full.password?.()).toBe('s@crt');
    const env = {
      PGHOST: 'h',
      PGPORT: '7',
      PGUSER: 'u',
      PGDATABASE: 'd',
      PGPASSWORD: 'p',
      PGSSLMODE: 'disable',
    };
    const short = addressOf('postgresql://', env);
    expect(short).toMatchObject({ host: 'h', port: 7, database: 'd', user: 'u', tls: { mode: 'disable' } });
    expect(await short.password?.()).toBe('p');
  });

  it('is shown without the password', () => {
    expect(addressOf('postgres://me:secret@db/edge').shown).toBe('postgres://me@db:5432/edge');
  });

  it('reads the password anew at each connection where a file holds it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'address-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'password');
    await writeFile(file, 'first\n');
    const { password } = addressOf('postgres://me@db/edge', {}, file);
    expect(await password?.()).toBe('first');
    await writeFile(file, 'second');
    expect(await password?.()).toBe('second');
  });

  it('is refused with everything that is wrong with it', () => {
    const issuesOf = (url: string, file?: string) => {
      try {
        addressOf(url, {}, file);
        return [];
      } catch (error) {
        if (error instanceof BadStateUrl) return error.issues;
        throw error;
      }
    };
    expect(issuesOf('mysql://x')).toEqual([
      expect.stringContaining('expected an address such as postgres://'),
    ]);
    for (const url of ['postgres://me:%ff@db/edge', 'postgres://me@db/%ff', 'postgres://me@db/edge?user=%zz'])
      expect(issuesOf(url)).toEqual([expect.stringContaining('expected an address such as postgres://')]);
    expect(issuesOf('postgres://me@db/edge?sslrootcert=system&sslmode=require')).toEqual([
      expect.stringContaining('sslrootcert=system proves nothing with sslmode=require'),
    ]);
    expect(issuesOf('postgres://me@one,two/edge')).toEqual([
      '--state.url: expected one host, and not one,two',
    ]);
    expect(issuesOf('postgres://:p@db/edge?sslmode=maybe&colour=blue', '/file')).toEqual([
      expect.stringContaining('unknown parameter colour'),
      expect.stringContaining('no user'),
      expect.stringContaining('sslmode: expected one of disable, allow'),
      expect.stringContaining('--state.password-file'),
    ]);
  });
});

describe('TLS, as libpq understands sslmode', () => {
  it.each([
    ['disable', [false]],
    ['allow', [false, { rejectUnauthorized: false }]],
    ['prefer', [{ rejectUnauthorized: false }, false]],
    ['require', [{ rejectUnauthorized: false }]],
    ['verify-ca', [{ rejectUnauthorized: true, checkServerIdentity: expect.any(Function) }]],
    ['verify-full', [{ rejectUnauthorized: true }]],
  ])('%s', async (mode, attempts) => {
    expect(await tlsAttempts(addressOf(`postgres://me@db/edge?sslmode=${mode}`))).toEqual(attempts);
  });

  it('proves the certificate where a root is given, whatever the mode', async () => {
    const root = join(import.meta.dirname, '..', '..', 'certificates');
    const { readdir } = await import('node:fs/promises');
    const [file = ''] = (await readdir(root)).filter(
      (name) => name.endsWith('.pem') || name.endsWith('.crt'),
    );
    const url = `postgres://me@db/edge?sslmode=require&sslrootcert=${join(root, file)}`;
    expect(await tlsAttempts(addressOf(url))).toMatchObject([{ rejectUnauthorized: true }]);
  });

  it('proves everything with the authorities of the system', async () => {
    const attempts = await tlsAttempts(addressOf('postgres://me@db/edge?sslrootcert=system'));
    expect(attempts).toEqual([{ rejectUnauthorized: true }]);
  });

  it('is none on a socket', async () => {
    expect(
      await tlsAttempts(addressOf('postgres:///edge?host=/run/postgresql&user=me&sslmode=require')),
    ).toEqual([false]);
  });
});
