import { z } from 'zod';
import type { Platform } from '../http/platform.ts';
import { detail, fieldErrors, type Reply } from '../http/reply.ts';
import { withBody } from '../http/request-parts.ts';
import type { Call, Operation, Resource } from './resource-router.ts';

const MOST_URLS = 50;

const body = z.object({
  urls: z.array(z.string().min(1)).min(1).max(MOST_URLS, `At most ${MOST_URLS} are allowed in one request.`),
  method: z.literal('delete'),
  layer: z.enum(['edge_caching', 'l2_caching']).optional(),
});

/** Returns the resource of specification 4.4. A purge changes nothing that can be read. */
export function purge(platform: Platform): Resource {
  const operation = (path: string, handle: (urls: readonly string[]) => Reply): Operation => [
    'post',
    path,
    (call) => withBody(body, call.body, ({ layer, urls }) => refusedLayer(call, path, layer) ?? handle(urls)),
  ];
  return {
    versions: [1, 2, 3],
    refusals: 'listed',
    write: 'Purge',
    operations: [
      operation('/url', (urls) => batches(platform, urls)),
      operation('/cachekey', () => ({
        status: 201,
        body: { details: 'Purge request successfully created' },
      })),
      operation('/wildcard', ([expression = '', ...more]) =>
        more.length === 0 && expression.includes('*')
          ? detail(201, 'Purge request successfully created')
          : fieldErrors({ urls: ['Exactly one wildcard expression is required.'] }),
      ),
    ],
  };
}

function refusedLayer({ version }: Call, path: string, layer: string | undefined): Reply | undefined {
  if (layer === undefined || (path === '/cachekey' && version > 1)) return undefined;
  return fieldErrors({ layer: ['Only a purge by cache key takes a layer, from version 2 on.'] });
}

/** Returns one batch for accepted URLs, and one for URLs on domains of other accounts. */
function batches({ account }: Platform, urls: readonly string[]): Reply {
  const own = new Set([...account.domains].flatMap(({ cnames, domain_name: name }) => [...cnames, name]));
  const accepted = urls.filter((url) => own.has(hostOf(url)));
  const refused = urls.filter((url) => !own.has(hostOf(url)));
  const parts = [
    { status: 'HTTP/1.1 201 CREATED', urls: accepted, details: 'Purge request successfully created' },
    { status: 'HTTP/1.1 403 FORBIDDEN', urls: refused, details: 'Domain not authorized for this account' },
  ];
  return { status: 207, body: parts.filter((batch) => batch.urls.length > 0) };
}

/** Returns the host of a URL with or without a scheme. */
function hostOf(url: string): string {
  const [host = ''] = url.replace(/^[a-z]+:\/\//i, '').split(/[/:?]/);
  return host.toLowerCase();
}
