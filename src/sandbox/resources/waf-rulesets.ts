import type { Platform } from '../http/platform.ts';
import { listedErrors, ok } from '../http/reply.ts';
import { idOf, type Resource } from '../resource.ts';

/** Specification 4.9: read only. The sandbox's owner changes them by the control endpoint. */
export function wafRulesets({ account }: Platform): Resource {
  return {
    versions: [2],
    refusals: 'listed',
    operations: [
      {
        method: 'get',
        path: '/',
        permission: 'View Security Settings',
        handle: () => ok([...account.wafRulesets]),
      },
      {
        method: 'get',
        path: '/:id',
        permission: 'View Security Settings',
        handle({ params }) {
          const ruleset = account.wafRulesets.get(idOf(params['id']));
          return ruleset === undefined ? listedErrors(404, 'Rule set not found') : ok(ruleset);
        },
      },
    ],
  };
}
