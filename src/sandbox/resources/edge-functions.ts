import { z } from 'zod';
import type { EdgeFunction } from '../account/resource-types.ts';
import { itemOperations, type Kind, listOperations } from '../crud.ts';
import { isoTimestamp } from '../formats.ts';
import type { Platform } from '../http/platform.ts';
import { detail } from '../http/reply.ts';
import type { Resource } from '../resource-router.ts';

const body = z.object({
  name: z.string().min(1),
  language: z.string().min(1),
  code: z.string().min(1),
  initiator_type: z.string().min(1),
  active: z.boolean(),
  json_args: z.record(z.string(), z.unknown()).default({}),
  function_to_run: z.string().default(''),
});

type Fields = z.output<typeof body>;

/** Specification 4.6. */
export function edgeFunctions({ account, settings }: Platform): Resource {
  const view = ({ domains: _domains, ...shown }: EdgeFunction) => shown;
  const kind: Kind<EdgeFunction, Fields> = {
    collection: account.functions,
    read: 'View Edge Functions',
    write: 'Edit Edge Functions',
    view,
    listView: (edgeFunction) => ({ ...view(edgeFunction), reference_count: edgeFunction.domains.length }),
    overwrittenView: (edgeFunction) => {
      const { id } = edgeFunction;
      return { ...view(edgeFunction), id: settings.overwrittenFunctionId === 'string' ? String(id) : id };
    },
    body,
    create: {
      body,
      make: (fields, id, { editor, now }) => ({
        id,
        ...fields,
        last_editor: editor,
        modified: isoTimestamp(now),
        domains: [],
      }),
    },
    touch: ({ editor, now }) => ({ last_editor: editor, modified: isoTimestamp(now) }),
    settings,
    missing: detail(404, 'Sorry unable to perform operation.'),
  };
  const { list, create } = listOperations(kind);
  const item = itemOperations(kind);
  return { versions: [3], operations: [list, create, item.read, item.remove, item.overwrite, item.update] };
}
