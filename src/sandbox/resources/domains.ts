import { removeDomain } from '../account/platform-account.ts';
import { type Domain, type DomainFields, domainBody } from '../account/resource-types.ts';
import { type Kind, resourceOf } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import { codedError, fieldErrors } from '../http/reply.ts';
import type { Resource } from '../resource-router.ts';
import { platformHostname } from '../seed.ts';

/** Specification 4.2. */
export function domains(platform: Platform): Resource {
  const { account, seed, settings } = platform;
  const kind: Kind<Domain, DomainFields> = {
    collection: account.domains,
    read: 'View Domains',
    write: 'Edit Domains',
    view: (domain) => ({
      ...domain,
      ...(settings.laterFields === 'present' && laterFields(platform, domain)),
    }),
    body: domainBody,
    create: { make: (fields, id) => ({ id, ...fields, domain_name: platformHostname(seed, id) }) },
    check: (fields, domain) => missingReferences(platform, fields) ?? takenCnames(platform, fields, domain),
    remove: ({ id }) => removeDomain(account, id),
    settings,
    byName: 'by_name',
  };
  return resourceOf(kind);
}

function missingReferences({ account }: Platform, fields: Partial<DomainFields>) {
  const { edge_application_id: application, digital_certificate_id: certificate } = fields;
  if (application !== undefined && !account.applications.get(application)) {
    return fieldErrors({ edge_application_id: ['There is no such edge application.'] });
  }
  if (certificate != null && !account.certificates.get(certificate)) {
    return fieldErrors({ digital_certificate_id: ['There is no such digital certificate.'] });
  }
  return undefined;
}

function takenCnames(
  { account }: Platform,
  { cnames = [] }: Partial<DomainFields>,
  domain: Domain | undefined,
) {
  const others = [...account.domains].filter(({ id }) => id !== domain?.id);
  const taken = cnames.find((cname) => others.some((other) => other.cnames.includes(cname)));
  return taken === undefined
    ? undefined
    : codedError(409, `The cname ${taken} is already in use.`, 'cname_in_use');
}

/** Seen in answers, though not documented. */
function laterFields({ account }: Platform, { id }: Domain) {
  const firewall = [...account.firewalls].find(({ domains }) => domains.includes(id));
  return { environment: 'production', edge_firewall_id: firewall?.id ?? null, is_mtls_enabled: false };
}
