import { z } from 'zod';
import type { Workload } from '../account/estate.ts';
import { parsePatch } from '../http/body.ts';
import type { Platform } from '../http/platform.ts';
import { listedErrors, NOT_FOUND, type Reply } from '../http/reply.ts';
import { idOf, type Resource } from '../resource.ts';

const body = z.object({
  domains: z.array(z.string().min(1)),
  workload_domain_allow_access: z.boolean(),
});

type Fields = Partial<z.output<typeof body>>;

/** Specification 4.16, the only operation of version 4; the path says the version. */
export function workloads(platform: Platform): Resource {
  const { account } = platform;
  return {
    versions: [],
    refusals: 'listed',
    operations: [
      {
        method: 'patch',
        path: '/:id',
        handle({ params, body: sent, now }) {
          const workload = account.workloads.get(idOf(params['id']));
          if (workload === undefined) return NOT_FOUND;
          const parsed = parsePatch(body, sent);
          if ('refusal' in parsed) return parsed.refusal;
          const refusal = refused(platform, workload, parsed.fields);
          if (refusal) return listedErrors(400, refusal);
          const { domains, workload_domain_allow_access } = workload;
          const before = { domains, workload_domain_allow_access };
          return accepted(
            account.workloads.update(workload.id, { ...parsed.fields, before, changed_at: now }),
          );
        },
      },
    ],
  };
}

function accepted(workload: Workload | undefined): Reply {
  if (workload === undefined) return NOT_FOUND;
  const { id, name, domains, workload_domain, workload_domain_allow_access } = workload;
  return {
    status: 202,
    body: { state: 'pending', data: { id, name, domains, workload_domain, workload_domain_allow_access } },
  };
}

/** Why the change is not made, in the words of sections 4.16 and 7. */
function refused(platform: Platform, workload: Workload, fields: Fields): string | undefined {
  const { domains, workload_domain_allow_access: open } = { ...workload, ...fields };
  const sent = fields.domains ?? [];
  if (fields.domains && workload.infrastructure === 'staging') {
    return 'A custom hostname is not available in the staging infrastructure environment.';
  }
  if (fields.domains && workload.application_id === null) {
    return 'The deployment of the workload must name an application.';
  }
  const malformed = sent.find((hostname) => !HOSTNAME.test(hostname));
  if (malformed !== undefined) return `The domain ${malformed} does not conform to RFC 1035.`;
  const foreign = sent.filter((hostname) => belongsToOthers(platform, workload, hostname));
  if (foreign.length > 0) return `The account is not allowed to use these CNAMEs: ${foreign.join(', ')}.`;
  if (!open && domains.length === 0) {
    return 'When workload hostname access is blocked, alternate domains or domains are required.';
  }
  return undefined;
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const HOSTNAME = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})+$`, 'i');

/** Hostnames of the platform itself, and those that another workload already answers. */
function belongsToOthers({ account }: Platform, workload: Workload, hostname: string): boolean {
  const name = hostname.toLowerCase();
  if (name.endsWith('.map.edge.example.net')) return true;
  return [...account.workloads].some(({ id, domains }) => id !== workload.id && domains.includes(name));
}
