import type { Clock } from '../clock.ts';
import type { Account } from '../configuration/schema.ts';
import type { TransportOptions } from '../platform/transport.ts';
import { AccountLink, type AccountLinkOptions } from './link.ts';

/** What an account's link tells, and what is left to others, asked for anew each time, where it is not the reserve. */
export interface LinkHooks extends Partial<Pick<AccountLinkOptions, 'onExchange' | 'onAssumedLimit'>> {
  readonly reserve?: (() => number) | undefined;
}

/** What will be known of an account's platform: its time, its limits, whether it is up. */
export function linkOf(
  { api_url, quota }: Account,
  clock: Clock,
  { reserve = () => quota.reserve, onExchange = () => undefined, ...hooks }: LinkHooks = {},
): AccountLink {
  return new AccountLink({
    clock,
    basePath: new URL(api_url).pathname.replace(/\/$/, ''),
    get reserve() {
      return reserve();
    },
    assumedLimit: quota.assumed_limit,
    onExchange,
    ...hooks,
  });
}

/** How an account's platform is spoken to. */
export function transportOf({ api_url, request }: Account, clock: Clock): TransportOptions {
  return {
    baseUrl: api_url,
    timeoutMs: request.timeout,
    maxResponseBytes: request.max_response_bytes,
    connections: request.concurrency,
    clock,
  };
}
