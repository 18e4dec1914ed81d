import { type EdgeFunction, type FunctionFields, functionBody } from '../account/resource-types.ts';
import { type Kind, resourceOf } from '../crud.ts';
import { isoTimestamp } from '../formats.ts';
import type { Platform } from '../http/platform.ts';
import { detail } from '../http/reply.ts';
import type { Resource } from '../resource-router.ts';

/** Specification 4.6. */
export function edgeFunctions({ account, settings }: Platform): Resource {
  const view = ({ domains: _domains, ...shown }: EdgeFunction) => shown;
  const kind: Kind<EdgeFunction, FunctionFields> = {
    collection: account.functions,
    read: 'View Edge Functions',
    write: 'Edit Edge Functions',
    view,
    listView: (edgeFunction) => ({ ...view(edgeFunction), reference_count: edgeFunction.domains.length }),
    overwrittenView: (edgeFunction) => {
      const { id } = edgeFunction;
      return { ...view(edgeFunction), id: settings.overwrittenFunctionId === 'string' ? String(id) : id };
    },
    body: functionBody,
    create: { make: (fields, id) => ({ id, ...fields, domains: [] }) },
    touch: ({ editor, now }) => ({ last_editor: editor, modified: isoTimestamp(now) }),
    settings,
    missing: detail(404, 'Sorry unable to perform operation.'),
  };
  return resourceOf(kind);
}
