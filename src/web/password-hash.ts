/**
 * A hash that Go's bcrypt reads, its version and cost aside: what stands between the parts does not matter there.
 * Salt and digest are 53 characters; what follows is ignored, and with one too few no password is right.
 */
const GO_HASH = /^\$[\0-2](?:\$|[^$].)([+-]\d|\d\d).(.{52,})$/s;
const SHORTEST_BYTES = 59;

/**
 * A stored hash in the one form that the verifier is given, `$2b$<cost>$<salt and digest>`, or `undefined` where
 * exporter-toolkit would refuse it.
 */
export function normalizeHash(stored: string): string | undefined {
  const bytes = Buffer.from(stored).toString('latin1');
  const [, digits, rest = ''] = GO_HASH.exec(bytes) ?? [];
  const cost = Number(digits);
  if (bytes.length < SHORTEST_BYTES || !(cost >= 4 && cost <= 31)) return undefined;
  return `$2b$${String(cost).padStart(2, '0')}$${rest.slice(0, 53)}`;
}

/** A hash that no password has, as costly as `hash`. */
export function decoyOf(hash: string): string {
  return `${hash.slice(0, 7)}${'.'.repeat(53)}`;
}
