import {
  type FirewallRuleset,
  type FirewallRulesetFields,
  firewallRulesetBody,
} from '../account/resource-types.ts';
import { onItem } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import { fieldErrors, listedErrors, NO_CONTENT, ok, type Reply } from '../http/reply.ts';
import { withBody, withPatch } from '../http/request-parts.ts';
import type { Call, Operation, Resource } from '../resource-router.ts';

const READ = 'View Security Settings';
const NO_RULESET = listedErrors(404, 'Rule set not found');

/** Specification 4.9: read only. The sandbox's owner changes them by the control endpoint. */
export function wafRulesets({ account }: Platform): Resource {
  return {
    versions: [2],
    refusals: 'listed',
    operations: [
      {
        method: 'get',
        path: '/',
        permission: READ,
        handle: () => ok([...account.wafRulesets]),
      },
      onItem(account.wafRulesets, NO_RULESET, 'get', READ, (ruleset) => ok(ruleset)),
    ],
  };
}

/** Specification 4.8: a legacy resource without a create. */
export function firewallRulesets({ account }: Platform): Resource {
  const rulesets = account.firewallRulesets;
  const item = (method: Operation['method'], handle: (ruleset: FirewallRuleset, call: Call) => Reply) =>
    onItem(rulesets, NO_RULESET, method, method === 'get' ? READ : 'Edit Security Settings', handle);
  const change = (ruleset: FirewallRuleset, fields: Partial<FirewallRulesetFields>) => {
    const { require_secure_token: required, secret } = { ...ruleset, ...fields };
    if (required && secret === null) return fieldErrors({ secret: ['This field is required.'] });
    return ok(view(rulesets.update(ruleset.id, { ...fields, secret: required ? secret : null }) ?? ruleset));
  };
  return {
    versions: [1],
    refusals: 'listed',
    operations: [
      // The specification names no permission for the list.
      { method: 'get', path: '/', handle: () => ok([...rulesets].map(view)) },
      item('get', (ruleset) => ok(view(ruleset))),
      item('put', (ruleset, call) =>
        withBody(firewallRulesetBody, call.body, (fields) => change(ruleset, fields)),
      ),
      item('patch', (ruleset, call) =>
        withPatch<FirewallRulesetFields>(firewallRulesetBody, call.body, (fields) => change(ruleset, fields)),
      ),
      item('delete', ({ id, used_by: users }) => {
        if (users.length > 0) return listedErrors(409, 'The rule set is in use.');
        rulesets.remove(id);
        return NO_CONTENT;
      }),
    ],
  };
}

function view({ used_by: _users, ...shown }: FirewallRuleset) {
  return shown;
}
