import { z } from 'zod';
import { flag, identifier, members, reference, text } from '../settings/item-fields.ts';
import { info, measured, switched } from '../settings/setting-series.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({
  id: identifier,
  name: text,
  domain_name: text,
  cnames: members,
  cname_access_only: flag,
  digital_certificate_id: reference,
  edge_application_id: reference,
  environment: text,
  is_active: flag,
});

type Domain = z.output<typeof row>;

/** Domains (sections 2.2 and 4.2). Their ids are the configuration ids of the metrics API (section 4.13). */
export const domains = settingsCollector({
  about: 'Domains: whether they are active, and what they belong to.',
  schedule: '*/10 * * * *',
  section: '4.2',
  version: 3,
  permission: 'View Domains',
  kind: 'domain',
  things: 'domains',
  list: '/domains',
  row,
  series: [
    info(
      'edge_domain_info',
      'A domain, always 1; join by domain_id, or by configuration_id to series of the metrics API. API: domains.',
      (domain: Domain) => ({
        configuration_id: domain.id,
        domain_name: domain.domain_name,
        edge_application_id: domain.edge_application_id,
        certificate_id: domain.digital_certificate_id,
        environment: domain.environment,
      }),
    ),
    switched(
      'edge_domain_active',
      'Whether a domain is active: 1 or 0. API: domains.',
      (domain: Domain) => domain.is_active,
    ),
    measured('edge_domain_cnames', 'How many hostnames a domain lists. API: domains.', (domain: Domain) => {
      return domain.cnames?.count;
    }),
    switched(
      'edge_domain_cname_access_only',
      'Whether a domain is served under its own hostnames only: 1 or 0. API: domains.',
      (domain: Domain) => domain.cname_access_only,
    ),
  ],
});
