import {
  type FirewallRuleset,
  type FirewallRulesetFields,
  firewallRulesetBody,
} from '../account/platform-account.ts';
import { onItem } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import { fieldErrors, listedErrors, NO_CONTENT, ok, type Reply } from '../http/reply.ts';
import { withBody, withPatch } from '../http/request-parts.ts';
import type { Call, Resource } from '../resource-router.ts';

const NO_RULESET = listedErrors(404, 'Rule set not found');

/** Specification 4.9: read only. The sandbox's owner changes them by the control endpoint. */
export function wafRulesets({ account: { wafRulesets: all } }: Platform): Resource {
  return {
    versions: [2],
    refusals: 'listed',
    read: 'View Security Settings',
    operations: [
      ['get', '/', () => ok([...all])],
      ['get', '/:id', onItem(all, NO_RULESET, ok)],
    ],
  };
}

/** Specification 4.8: a legacy resource without a create, whose list takes no permission. */
export function firewallRulesets({ account: { firewallRulesets: all } }: Platform): Resource {
  const item = (handle: (ruleset: FirewallRuleset, call: Call) => Reply) => onItem(all, NO_RULESET, handle);
  const change = (ruleset: FirewallRuleset, fields: Partial<FirewallRulesetFields>) => {
    const { require_secure_token: required, secret } = { ...ruleset, ...fields };
    if (required && secret === null) return fieldErrors({ secret: ['This field is required.'] });
    all.update(ruleset.id, { ...fields, secret: required ? secret : null });
    return ok(view(ruleset));
  };
  const overwrite = (ruleset: FirewallRuleset, call: Call) =>
    withBody(firewallRulesetBody, call.body, (fields) => change(ruleset, fields));
  const update = (ruleset: FirewallRuleset, call: Call) =>
    withPatch<FirewallRulesetFields>(firewallRulesetBody, call.body, (fields) => change(ruleset, fields));
  const remove = ({ id, used_by: users }: FirewallRuleset) => {
    if (users.length > 0) return listedErrors(409, 'The rule set is in use.');
    all.remove(id);
    return NO_CONTENT;
  };
  return {
    versions: [1],
    refusals: 'listed',
    read: 'View Security Settings',
    write: 'Edit Security Settings',
    operations: [
      ['get', '/', () => ok([...all].map(view)), 'open'],
      ['get', '/:id', item((ruleset) => ok(view(ruleset)))],
      ['put', '/:id', item(overwrite)],
      ['patch', '/:id', item(update)],
      ['delete', '/:id', item(remove)],
    ],
  };
}

function view({ used_by: _users, ...shown }: FirewallRuleset) {
  return shown;
}
