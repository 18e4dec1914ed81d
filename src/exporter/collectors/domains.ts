import { z } from 'zod';
import {
  flag,
  identifier,
  items,
  membersOf,
  reference,
  seriesOf,
  text,
  texts,
} from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z
  .object({
    id: identifier,
    name: text,
    domain_name: text,
    cnames: items,
    cname_access_only: flag,
    digital_certificate_id: reference,
    edge_application_id: reference,
    environment: text,
    is_active: flag,
  })
  .transform(({ cnames, ...domain }) => ({ ...domain, cnames: membersOf(cnames), hostnames: texts(cnames) }));

type Domain = z.output<typeof row>;

const { counted, info, related, switched } = seriesOf<Domain>('domains');

/** Domains (sections 2.2 and 4.2). Their ids are the configuration ids of the metrics API (section 4.13). */
export const domains = settingsCollector({
  about: 'Domains: whether they are active, their hostnames, and what they belong to.',
  schedule: '*/10 * * * *',
  section: '4.2',
  version: 3,
  permission: 'View Domains',
  kind: 'domain',
  things: 'domains',
  list: '/domains',
  row,
  // A change of the hostnames is already a change of `cnames`.
  unwatched: ['hostnames'],
  series: [
    info(
      'edge_domain_info',
      'A domain, always 1; join by domain_id, or by configuration_id to series of the metrics API.',
      {
        configuration_id: 'id',
        domain_name: 'domain_name',
        edge_application_id: 'edge_application_id',
        certificate_id: 'digital_certificate_id',
        environment: 'environment',
      },
    ),
    switched('edge_domain_active', 'a domain is active', 'is_active'),
    counted('edge_domain_cnames', 'Number of hostnames that a domain lists.', 'cnames'),
    related(
      'edge_domain_cname_info',
      'A hostname that a domain lists, always 1; join by domain_id, or by configuration_id to series of the metrics API.',
      (domain) => domain.hostnames.map((cname) => ({ configuration_id: domain.id, cname })),
    ),
    switched(
      'edge_domain_cname_access_only',
      'a domain is served under its own hostnames only',
      'cname_access_only',
    ),
  ],
});
