import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

/** How the platform's certificate is judged, and which one it is shown. */
export interface TlsSettings {
  /** PEM file of the authorities to trust instead of the well-known ones. */
  readonly caFile?: string | undefined;
  /** PEM files of the client certificate and its key: both or neither. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Name that the certificate must be for, where it is not the host. */
  readonly serverName?: string | undefined;
}

/** What the files hold, as Node's TLS takes it. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A file of the TLS settings that cannot be used; the message names it and says why. */
export class TlsFileFailure extends Error {
  override readonly name = 'TlsFileFailure';
}

type Kind = keyof TlsMaterial;

const FILES = { ca: 'caFile', cert: 'certFile', key: 'keyFile' } as const satisfies Record<Kind, string>;

const READ_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Reads the files. @throws TlsFileFailure */
export async function readTlsFiles(settings: TlsSettings): Promise<TlsMaterial> {
  const read = (Object.keys(FILES) as Kind[]).map(async (kind) => {
    const path = settings[FILES[kind]];
    return path === undefined ? [] : [[kind, await readPem(kind, path)] as const];
  });
  const material: TlsMaterial = Object.fromEntries((await Promise.all(read)).flat());
  const { cert, key } = material;
  if (cert !== undefined && key !== undefined && !isAccepted({ cert, key }))
    throw new TlsFileFailure('request.key_file does not belong to the certificate in request.cert_file');
  return material;
}

async function readPem(kind: Kind, path: string): Promise<string> {
  const found = await readAs(kind, path);
  if ('pem' in found) return found.pem;
  throw new TlsFileFailure(`request.${kind}_file ${found.message}`);
}

/** What keeps a file from being of its kind; `wrong` where it is there and may be read. */
export interface TlsFileTrouble {
  readonly message: string;
  readonly wrong: boolean;
}

/** What keeps the file from being used now, if anything. */
export async function tlsFileTrouble(path: string, kind: Kind): Promise<TlsFileTrouble | undefined> {
  const found = await readAs(kind, path);
  return 'pem' in found ? undefined : found;
}

async function readAs(kind: Kind, path: string): Promise<{ readonly pem: string } | TlsFileTrouble> {
  const pem = await readFile(path, 'utf8').catch(codeOf);
  if (typeof pem === 'object')
    return { message: `cannot be read: ${READ_WORDS[pem.code] ?? pem.code}`, wrong: false };
  const message = wrongWith(kind, pem);
  return message === undefined ? { pem } : { message, wrong: true };
}

/** Node itself takes authorities that are none, and then trusts nobody. */
function wrongWith(kind: Kind, pem: string): string | undefined {
  if (kind === 'key')
    return isAccepted({ key: pem })
      ? undefined
      : 'contains no private key in PEM format, or an encrypted one';
  return holdsCertificates(pem) ? undefined : 'contains no certificates in PEM format';
}

function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every(isCertificate);
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block);
    return true;
  } catch {
    // Its only way to refuse.
    return false;
  }
}

function isAccepted(material: TlsMaterial): boolean {
  try {
    createSecureContext(material);
    return true;
  } catch {
    // OpenSSL's words for it change from version to version.
    return false;
  }
}

function codeOf(error: unknown): { readonly code: string } {
  return { code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
}
