import { PlatformFailure } from './outcome.ts';

/**
 * Path and query of a resource below the account's base address.
 * @param path begins with one slash; parts of it that came from the platform are URI-encoded by the caller
 * @throws PlatformFailure when the path could mean anything but a place below the base address
 */
export function addressOf(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  if (!/^\/(?![/\\])/.test(path) || path.split(/[/\\]/).some(isDotSegment)) {
    throw new PlatformFailure(
      'network',
      `refused a path outside the account's base address: ${path.slice(0, 80)}`,
    );
  }
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  return url.pathname + url.search;
}

/**
 * Where a redirect leads, as path and query on the account's origin.
 * @param from path and query of the request that was redirected
 * @throws PlatformFailure when it leads to another origin: another scheme, host or port
 */
export function redirectTarget(baseUrl: string, from: string, location: string): string {
  const base = new URL(baseUrl);
  const current = new URL(base.origin + from);
  if (!URL.canParse(location, current.href)) {
    throw new PlatformFailure('undecodable', 'redirect to an invalid address');
  }
  const target = new URL(location, current);
  if (target.origin !== base.origin || target.protocol !== base.protocol) {
    throw new PlatformFailure('undecodable', `redirect to another origin (${target.host}) refused`);
  }
  return target.pathname + target.search;
}

/** Whether a link that the platform gave, absolute or relative, leads off the account's origin. */
export function leavesOrigin(origin: string, link: string): boolean {
  return URL.canParse(link, origin) && new URL(link, origin).origin !== new URL(origin).origin;
}

/** `.` and `..`, which a URL resolves, written in any of the ways in which it recognises them. */
function isDotSegment(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment);
}
