import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BadStateUrl, postgresAddress } from '../../../src/exporter/state/postgres-address.ts';

const PEM = expect.stringContaining('BEGIN CERTIFICATE');

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
    expect(short).toMatchObject({ host: 'h', port: 7, database: 'd', user: 'u' });
    expect(short.tls()).toBe(false);
    expect(await short.password?.()).toBe('p');
  });

  it('is shown without the password', () => {
    expect(addressOf('postgres://me:secret@db/edge?sslmode=require').shown).toBe(
      'postgres://me@db:5432/edge',
    );
  });

  it('reads the password anew at each connection where a file holds it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'address-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'password');
    await writeFile(file, 'first\n');
    const { password } = addressOf('postgres://me@localhost/edge', {}, file);
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
    for (const url of ['postgres://me:%ff@db/edge', 'postgres://me@db/%ff', 'postgres://me@db/edge?user=%ff'])
      expect(issuesOf(url)).toEqual([expect.stringContaining('expected an address such as postgres://')]);
    expect(issuesOf('postgres://me@db/edge?sslrootcert=system&sslmode=require')).toEqual([
      expect.stringContaining('sslrootcert=system proves nothing with sslmode=require'),
    ]);
    expect(issuesOf('postgres://me@one,two/edge?sslmode=require')).toEqual([
      '--state.url: expected one host, and not one,two',
    ]);
    expect(issuesOf('postgres://:p@db/edge?sslmode=maybe&colour=blue', '/file')).toEqual([
      expect.stringContaining('unknown parameter colour'),
      expect.stringContaining('no user'),
      expect.stringContaining('sslmode: expected one of disable, require, verify-ca, verify-full'),
      expect.stringContaining('--state.password-file'),
    ]);
  });
});

describe('TLS, as libpq understands sslmode', () => {
  const root = join(import.meta.dirname, '..', '..', 'certificates', 'ca.pem');

  it.each([
    ['sslmode=disable', false],
    ['sslmode=require', { rejectUnauthorized: false }],
    [`sslmode=require&sslrootcert=${root}`, { ca: PEM, checkServerIdentity: expect.any(Function) }],
    [`sslmode=verify-ca&sslrootcert=${root}`, { ca: PEM, checkServerIdentity: expect.any(Function) }],
    [`sslmode=verify-full&sslrootcert=${root}`, { ca: PEM }],
    ['sslmode=verify-full', {}],
    ['sslrootcert=system', {}],
    ['host=/run/postgresql&sslmode=require', false],
  ])('%s', (parameters, tls) => {
    expect(addressOf(`postgres://me@db/edge?${parameters}`).tls()).toEqual(tls);
  });

  it.each(['allow', 'prefer'])('%s is refused, since it may go on without encryption', (mode) => {
    expect(() => addressOf(`postgres://me@localhost/edge?sslmode=${mode}`)).toThrow(
      `--state.url: sslmode=${mode}, which is also libpq's default, goes on without encryption`,
    );
  });

  it('is to be named where the database is on another machine', () => {
    expect(() => addressOf('postgres://me@db/edge')).toThrow('sslmode=prefer');
    for (const host of ['localhost', '127.0.0.1', '[::1]', ''])
      expect(addressOf(`postgres://me@${host}/edge`).tls()).toBe(false);
  });

  it('needs the authority where only that is proven', () => {
    expect(() => addressOf('postgres://me@db/edge?sslmode=verify-ca')).toThrow('needs sslrootcert');
  });
});
