import { z } from 'zod';
import type { Sample } from '../catalogue/family.ts';
import { EDGE_DOMAIN_ACTIVE, EDGE_DOMAIN_INFO } from '../catalogue/platform-families.ts';
import { readPages } from '../platform/pages.ts';
import { accountLabels, type Collector } from './collector.ts';
import { settingsJob } from './settings-job.ts';

const id = z.union([z.int(), z.string().min(1)]).transform(String);

const domain = z.object({
  id,
  name: z.string().nullish(),
  domain_name: z.string().nullish(),
  is_active: z.boolean(),
  edge_application_id: id.nullish(),
  digital_certificate_id: id.nullish(),
});

/** Domains: names, what they belong to, and whether they are active (sections 2.2 and 4.2). */
export const domains: Collector = {
  about: 'Domains and whether they are active.',
  schedule: '*/10 * * * *',
  section: '4.2',
  permission: 'View Domains',
  families: [EDGE_DOMAIN_INFO, EDGE_DOMAIN_ACTIVE],
  jobs: (context) => [
    settingsJob(context, {
      collector: 'domains',
      group: 'domains',
      subject: {},
      collect: async (read, signal) => {
        const samples: Sample[] = [];
        let rejected = 0;
        const list = { path: '/domains', version: 3, origin: context.origin } as const;
        for await (const items of readPages(read, list, signal)) {
          for (const item of items) {
            const found = decodeDomain(item, context.account);
            if (found === undefined) rejected += 1;
            else samples.push(...found);
          }
        }
        return { samples, rejected };
      },
    }),
  ],
};

/** The samples of one item of the list, or undefined when it is no domain. */
export function decodeDomain(item: unknown, account: string): Sample[] | undefined {
  const parsed = domain.safeParse(item);
  if (!parsed.success) return undefined;
  const { id, name, domain_name, is_active, edge_application_id, digital_certificate_id } = parsed.data;
  const info = accountLabels(account, {
    domain_id: id,
    domain: name ?? '',
    domain_name: domain_name ?? '',
    edge_application_id: edge_application_id ?? '',
    digital_certificate_id: digital_certificate_id ?? '',
  });
  const active = accountLabels(account, { domain_id: id });
  return [
    { family: EDGE_DOMAIN_INFO, labels: info, value: 1 },
    { family: EDGE_DOMAIN_ACTIVE, labels: active, value: is_active ? 1 : 0 },
  ];
}
