/**
 * The version that an Accept header asks for (specification section 9): `application/json; version=<n>`. Of several
 * media ranges the first that names a supported version counts.
 * @param supported without any, the header only has to accept JSON (section 4.16)
 * @returns undefined when the header is missing, malformed or names no supported version: a 406
 */
export function acceptedVersion(
  header: string | undefined,
  supported: readonly number[],
): number | undefined {
  if (supported.length === 0) return acceptsJson(header ?? '') ? 0 : undefined;
  const versions = (header ?? '').split(',').map(versionOf);
  return versions.find((version) => version !== undefined && supported.includes(version));
}

function versionOf(range: string): number | undefined {
  const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return undefined;
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length);
  return version !== undefined && /^\d{1,3}$/.test(version) ? Number(version) : undefined;
}

function acceptsJson(header: string): boolean {
  return header.split(',').some((range) => /^\s*(application\/(json|\*)|\*\/\*)\s*(;|$)/i.test(range));
}
