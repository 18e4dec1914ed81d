import { z } from 'zod';
import { findConfiguration } from '../account/configurations.ts';
import { ERROR_RESPONSE_FIELDS, type ErrorResponses } from '../account/resource-types.ts';
import type { Platform } from '../http/platform.ts';
import { NOT_FOUND, ok, type Reply } from '../http/reply.ts';
import { withBody, withPatch } from '../http/request-parts.ts';
import { type Call, idOf, type Resource } from '../resource-router.ts';

const seconds = z.int().min(0);

/** Specification 2.13: all seven are sent by an overwrite. */
const body = z.object({
  cache_error_400: seconds,
  cache_error_403: seconds,
  cache_error_404: seconds,
  cache_error_405: seconds,
  cache_error_414: seconds,
  cache_error_416: seconds,
  cache_error_501: seconds,
});

type Times = z.output<typeof body>;

/** Cache times of a configuration for which none were ever set. */
const DEFAULT_SECONDS = 1;

/** Specification 4.14. */
export function errorResponses(platform: Platform): Resource {
  const { account } = platform;
  const path = '/configurations/:configuration/error_responses';
  const timesOf = (id: number): Times =>
    view(
      account.errorResponses.get(id) ??
        Object.fromEntries(ERROR_RESPONSE_FIELDS.map((f) => [f, DEFAULT_SECONDS])),
    );
  const find = (handle: (id: number, call: Call) => Reply) => (call: Call) => {
    const id = idOf(call.params['configuration']);
    return findConfiguration(account, 'applications', id) === undefined ? NOT_FOUND : handle(id, call);
  };
  const write = (id: number, times: Partial<Times>) => {
    account.errorResponses.put({ id, ...timesOf(id), ...times });
    return ok(timesOf(id));
  };
  return {
    versions: [1],
    refusals: 'listed',
    operations: [
      { method: 'get', path, permission: 'View Content Delivery', handle: find((id) => ok(timesOf(id))) },
      {
        method: 'put',
        path,
        permission: 'Edit Content Delivery',
        handle: find((id, call) => withBody(body, call.body, (times) => write(id, times))),
      },
      {
        method: 'patch',
        path,
        permission: 'Edit Content Delivery',
        handle: find((id, call) => withPatch<Times>(body, call.body, (times) => write(id, times))),
      },
    ],
  };
}

function view(times: Partial<ErrorResponses>): Times {
  return Object.fromEntries(ERROR_RESPONSE_FIELDS.map((field) => [field, times[field]])) as Times;
}
