import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { type ExpositionFormat, negotiateFormat } from '../exposition/negotiate.ts';

/** How the bytes of an answer are packed. */
export type Encoding = 'identity' | 'gzip';

/** Scrapers repeat the same few headers; rarer ones are not cached. */
const REMEMBERED_HEADERS = 100;

const packed = new Map<string, Encoding>();
const formats = new Map<string, ExpositionFormat>();

/** The packing that the client likes best of those that there are; a refusal of both would be of use to nobody. */
export function encodingFor({ headers }: IncomingMessage): Encoding {
  return remembered(packed, headers['accept-encoding'] ?? '', (header) => {
    const [best] = new Negotiator({ headers: { 'accept-encoding': header } }).encodings(['gzip', 'identity']);
    return best === 'gzip' ? 'gzip' : 'identity';
  });
}

/** The format of the exposition that the client asks for. */
export function formatFor({ headers }: IncomingMessage): ExpositionFormat {
  return remembered(formats, headers.accept ?? '', negotiateFormat);
}

function remembered<Value>(
  known: Map<string, Value>,
  header: string,
  negotiate: (header: string) => Value,
): Value {
  const before = known.get(header);
  if (before !== undefined) return before;
  const value = negotiate(header);
  if (known.size < REMEMBERED_HEADERS) known.set(header, value);
  return value;
}
