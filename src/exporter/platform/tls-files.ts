import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { TlsFileFailure } from './network-failure.ts';

/** TLS settings: how to verify the platform's certificate, and the client certificate. */
export interface TlsSettings {
  /** PEM file of the authorities to trust instead of the well-known ones; undefined for the well-known ones. */
  readonly caFile?: string | undefined;
  /** PEM files of the client certificate and its key: both or neither. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Name that the certificate must have; undefined for the host. */
  readonly serverName?: string | undefined;
}

/** Contents of the files, in the form that Node's TLS accepts. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

type PemKind = keyof TlsMaterial;

/** Setting and required content of each kind of file. */
const KINDS = {
  ca: { setting: 'caFile', holds: holdsCertificates, lacks: 'no certificates in PEM format' },
  cert: { setting: 'certFile', holds: holdsCertificates, lacks: 'no certificates in PEM format' },
  key: {
    setting: 'keyFile',
    // Node treats an empty file as no file.
    holds: (pem) => pem.trim() !== '' && succeeds(() => createSecureContext({ key: pem })),
    lacks: 'no private key in PEM format, or an encrypted one',
  },
} as const satisfies Record<
  PemKind,
  { setting: keyof TlsSettings; holds: (pem: string) => boolean; lacks: string }
>;

const READ_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Reads the files. @throws TlsFileFailure if a file cannot be used */
export async function readTlsFiles(settings: TlsSettings): Promise<TlsMaterial> {
  const read = (Object.keys(KINDS) as PemKind[]).map(async (kind) => {
    const path = settings[KINDS[kind].setting];
    if (path === undefined) return [];
    const found = await readAs(kind, path);
    if ('pem' in found) return [[kind, found.pem] as const];
    throw new TlsFileFailure(`request.${kind}_file ${found.message}`);
  });
  const material: TlsMaterial = Object.fromEntries((await Promise.all(read)).flat());
  const { cert, key } = material;
  if (cert !== undefined && key !== undefined && !succeeds(() => createSecureContext({ cert, key })))
    throw new TlsFileFailure('request.key_file does not belong to the certificate in request.cert_file');
  return material;
}

/** Reason why a file cannot be used; `wrong` if it exists and is readable. */
export interface TlsFileTrouble {
  readonly message: string;
  readonly wrong: boolean;
}

/** Returns the reason why the file cannot be used now; undefined if it can. */
export async function tlsFileTrouble(path: string, kind: PemKind): Promise<TlsFileTrouble | undefined> {
  const found = await readAs(kind, path);
  return 'pem' in found ? undefined : found;
}

async function readAs(kind: PemKind, path: string): Promise<{ readonly pem: string } | TlsFileTrouble> {
  try {
    const pem = await readFile(path, 'utf8');
    const { holds, lacks } = KINDS[kind];
    return holds(pem) ? { pem } : { message: `contains ${lacks}`, wrong: true };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { message: `cannot be read: ${READ_WORDS[code] ?? code}`, wrong: false };
  }
}

/** Returns true if the text contains certificates. Node accepts any other text as authorities and then trusts nobody. */
function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every((block) => succeeds(() => new X509Certificate(block)));
}

/** Returns true if the function does not throw. OpenSSL refuses content only with exceptions, whose texts vary. */
function succeeds(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
