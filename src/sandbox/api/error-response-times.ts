import type { z } from 'zod';
import { findConfiguration } from '../account/configurations.ts';
import { errorResponsesBody } from '../account/items.ts';
import type { Platform } from '../http/platform.ts';
import { NOT_FOUND, ok, type Reply } from '../http/reply.ts';
import { withBody, withPatch } from '../http/request-parts.ts';
import { type Call, idOf, type Resource } from './resource-router.ts';

type Times = z.output<typeof errorResponsesBody>;

/** Default cache times: one second each. */
const DEFAULTS = Object.fromEntries(Object.keys(errorResponsesBody.shape).map((field) => [field, 1]));

/** Returns the resource of specification 4.14. */
export function errorResponses({ account }: Platform): Resource {
  const path = '/configurations/:configuration/error_responses';
  const timesOf = (id: number): Times => errorResponsesBody.parse(account.errorResponses.get(id) ?? DEFAULTS);
  const find = (handle: (id: number, call: Call) => Reply) => (call: Call) => {
    const id = idOf(call.params['configuration']);
    return findConfiguration(account, 'applications', id) === undefined ? NOT_FOUND : handle(id, call);
  };
  const write = (id: number) => (times: Partial<Times>) => {
    account.errorResponses.put({ id, ...timesOf(id), ...times });
    return ok(timesOf(id));
  };
  return {
    versions: [1],
    refusals: 'listed',
    read: 'View Content Delivery',
    write: 'Edit Content Delivery',
    operations: [
      ['get', path, find((id) => ok(timesOf(id)))],
      ['put', path, find((id, { body }) => withBody(errorResponsesBody, body, write(id)))],
      ['patch', path, find((id, { body }) => withPatch(errorResponsesBody, body, write(id)))],
    ],
  };
}
