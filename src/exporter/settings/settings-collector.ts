import type { Product } from '../catalogue/products.ts';
import type {
  Collector,
  CollectorContext,
  ConfigurationIds,
  Item,
  SettingsDeclaration,
} from './collector.ts';
import { seriesOf } from './setting-series.ts';
import { SettingsJob } from './settings-job.ts';
import { LIST_PERMISSION } from './settings-reader.ts';

/** Makes a collector of what is declared of one kind of settings. */
export function settingsCollector<Listed extends Item, Detailed extends object = object>(
  declaration: SettingsDeclaration<Listed, Detailed>,
): Collector {
  const { about, schedule, section, version, permission, kind, things, list, details, series } = declaration;
  const { measured } = seriesOf<{ readonly changedAt: number | undefined }>(things);
  const changes = measured(
    `edge_${kind}_changed_timestamp_seconds`,
    `When one of the ${things} was last seen changed, as a Unix time; absent until the first change.`,
    'changedAt',
  );
  const paths = details?.reads.map(({ path }) => path) ?? [];
  const reads = typeof list === 'string' ? [list, ...paths] : paths;
  const group = reads[0]?.split('/')[1] ?? '';
  const labels = declaration.labels ?? (({ id, name }) => ({ [`${kind}_id`]: id, [kind]: name ?? '' }));
  return {
    about,
    things,
    schedule,
    section,
    version,
    permission,
    listPermissions: typeof list === 'string' ? [] : [LIST_PERMISSION, list.otherwise.permission],
    reads,
    operations: operationsOf(declaration),
    families: [...series, changes].map(({ family }) => family),
    labels: Object.keys(labels({ id: '' })),
    needs: typeof list === 'string' ? [] : list.products,
    takesIds: typeof list !== 'string',
    jobs: (context) => {
      if (typeof list !== 'string' && !isKnown(list, context)) return [];
      return [new SettingsJob({ declaration, context, group, labels, changes })];
    },
  };
}

/** Whether it is known by which ids to read. */
function isKnown(
  { products }: ConfigurationIds,
  { named, configurations, isPending }: CollectorContext,
): boolean {
  const isListed = (product: Product) => (configurations(product) ?? []).length > 0;
  return named.length > 0 || products.some(isListed) || !products.some(isPending);
}

/** What a read costs, in words. */
function operationsOf<Listed extends Item, Detailed extends object>({
  list,
  version,
  details,
  things,
}: SettingsDeclaration<Listed, Detailed>): string {
  const paged = version === 3 ? `1 per 100 ${things}` : '1';
  const count = details?.reads.length ?? 0;
  const inTurns = `${count} per item in turn`;
  return [...(typeof list === 'string' ? [paged] : []), ...(count === 0 ? [] : [inTurns])].join(', ');
}
