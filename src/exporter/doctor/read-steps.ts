import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';
import { PRODUCTS, type SeriesApi } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Finding } from '../plan/survey.ts';
import { wantedBy } from '../series/series-source.ts';
import { IdsUnavailable, LIST_PERMISSION } from '../settings/settings-reader.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { addresses } from '../targets/target.ts';
import { duration } from '../text/duration.ts';
import { plainNumber } from '../text/numbers.ts';
import { type Step, stepsNamed } from './step.ts';

/** How much later (ms) than their delay buckets may come before it is worth a warning. */
const LATE_MS = 5 * MINUTE_MS;

/**
 * What the list of a product's configurations showed.
 * @param selected how many of them are read for their series; undefined when none is asked for
 * @param unmatched what is asked for by name and not in the list
 */
export function listStep(
  { job, outcome, reason = '', result }: Finding,
  selected: number | undefined,
  unmatched: readonly string[],
): Step {
  const product = job.subject.product ?? '';
  const { configurations = [], addressing = 'domain' } = result?.discovery ?? {};
  const found = plainNumber(configurations.flatMap((one) => addresses(one, addressing)).length);
  const { ok, warning, problem } = stepsNamed(`list of ${product}`);
  const gone = unmatched.map((name) => JSON.stringify(name)).join(', ');
  const unmatchedNotice = gone === '' ? undefined : `nothing matches ${gone} of configurations.include`;
  const notices = [unmatchedNotice, result?.warning].filter((notice) => notice !== undefined);
  const verdict = (text: string) =>
    notices.length === 0 ? ok(text) : warning([text, ...notices].join('; '));
  if (outcome === 'empty') return verdict('no configurations: nothing to export');
  if (outcome !== 'ok') {
    const text = `its configurations cannot be listed (${reason})`;
    if (selected === undefined)
      return warning(`${text}: the settings of each take their ids from another list`);
    const shown = job.group === 'analytics' ? 'only the product as a whole' : 'none of its metrics';
    return problem(`${text}: ${shown} will be exported`);
  }
  if (selected === undefined) return ok(`${found} found, for the settings of each`);
  if (selected > 0) return verdict(`${found} found, ${plainNumber(selected)} read`);
  const text = `${found} found, but none is both active and selected`;
  return gone === '' ? warning(`${text}: look at configurations.include and exclude`) : verdict(text);
}

/** What the list of the metrics of the analytics API showed. */
export function metadataStep({ outcome, reason = '', result }: Finding): Step {
  const { ok, warning } = stepsNamed('metrics of analytics');
  const instead = 'those that are documented are read';
  if (outcome === 'empty') return warning(`the platform lists none: ${instead}`);
  if (outcome !== 'ok') return warning(`they cannot be listed (${reason}): ${instead}`);
  return ok(`${plainNumber(result?.metrics?.length ?? 0)} listed`);
}

/** What a read of series showed. @param now the platform's time @param publishDelayMs age at which buckets are shown */
export function seriesStep(
  finding: Finding,
  account: AccountConfig,
  now: number,
  publishDelayMs: number,
): Step {
  const { job, outcome, reason = '', result } = finding;
  const { collector, metric = '', configuration = '', product = '' } = job.subject;
  const { ok, warning, problem } = stepsNamed(`read of ${collector}`);
  const what = `${metric} of ${configuration || product}`;
  if (outcome !== 'ok' && outcome !== 'empty') {
    const api = collector === 'metrics' ? 'metrics' : 'analytics';
    return problem(
      `${what} cannot be read: ${reason}`,
      outcome === 'forbidden' ? seriesFamilies(account, [api]) : [],
    );
  }
  const rejected = [...(result?.rejected?.values() ?? [])].reduce((sum, rows) => sum + rows, 0);
  const { dimensions = 0, rows = 0, width = MINUTE_MS, newestExposed } = result?.buckets ?? {};
  if (newestExposed === undefined)
    return warning(`${what} was answered without a bucket that can be shown: is there any traffic?`);
  const age = now - newestExposed - width;
  const text = `${what}: ${plainNumber(dimensions)} ${dimensions === 1 ? 'dimension' : 'dimensions'} in buckets of ${duration(width / 1_000)}, the newest shown closed ${duration(age / 1_000)} ago`;
  if (rejected > 0)
    return warning(`${text}; ${plainNumber(rejected)} of ${plainNumber(rows)} rows make no sense`);
  return age > publishDelayMs + LATE_MS ? warning(`${text}: the platform is late`) : ok(text);
}

/** What the first reads of settings prove to be granted: an item of a list that another permission gives proves nothing. */
export function grantedPermissions(
  found: readonly (readonly [CollectorName, Finding | undefined])[],
): ReadonlySet<string> {
  const proven = found.filter(([name, finding]) =>
    finding?.outcome === 'empty' ? COLLECTORS[name].listPermissions.length === 0 : finding?.outcome === 'ok',
  );
  return new Set(proven.map(([name]) => COLLECTORS[name].permission));
}

/** What the first read of a collector of settings showed. @param granted permissions that some read has proven to be granted */
export function settingsStep(
  name: CollectorName,
  finding: Finding | undefined,
  granted: ReadonlySet<string>,
): Step {
  const { ok, problem, skipped } = stepsNamed(name);
  const { permission, families } = COLLECTORS[name];
  if (finding === undefined) return skipped('there is no configuration whose settings could be read');
  const { outcome, reason = '', series = 0, failure } = finding;
  const absent = families.map((family) => family.name);
  const isGranted = granted.has(permission);
  if (outcome === 'forbidden') {
    if (failure instanceof IdsUnavailable) return problem(`it cannot be read: ${reason}`, absent);
    if (!isGranted) return problem(missing(permission), absent);
    const text = `it is refused (HTTP 403), though ${permission} is granted: does the account have the product?`;
    return problem(text, absent);
  }
  const proof = isGranted ? `${permission} is granted: ` : '';
  if (outcome === 'ok') return ok(`${proof}${plainNumber(series)} series from the first read`);
  if (outcome === 'empty') return ok(`${proof}there is nothing to show`);
  return problem(`it cannot be read: ${reason}`, absent);
}

/** What the permission to read series is called (section 5), and whether what was read proves that it is granted. */
export function analyticsStep(findings: readonly Finding[], account: AccountConfig): Step {
  const { ok, problem, skipped } = stepsNamed('series');
  const met = new Set(findings.map(({ outcome }) => outcome));
  if (met.has('ok') || met.has('empty')) return ok('Analytics is granted');
  if (!met.has('forbidden'))
    return skipped('whether Analytics is granted cannot be told: nothing that needs it was answered');
  return problem(missing(LIST_PERMISSION), seriesFamilies(account, ['metrics', 'analytics']));
}

function missing(permission: string): string {
  return `the token's user lacks the permission ${permission} (HTTP 403): grant it in the account's console`;
}

/** Names of the families that an account shows of the series of these APIs, as far as the catalogue knows. */
function seriesFamilies({ collectors }: AccountConfig, apis: readonly SeriesApi[]): readonly string[] {
  const names = new Set<string>();
  for (const product of PRODUCTS) {
    const settings = apis.includes(product.api) ? collectors[product.api]?.products[product.slug] : undefined;
    if (settings === undefined) continue;
    const metrics = settings.metrics.flatMap((name) => (name === '*' ? product.metrics : [name]));
    const wants = wantedBy(settings.dimensions);
    for (const metric of metrics) {
      for (const dimension of (DIMENSIONS[metric] ?? ['total']).filter((name) => wants(name))) {
        for (const scope of settings.by) {
          const { gauge, counter } = facesOf(metric, dimension, { scope });
          names.add(gauge.family.name);
          if (counter !== undefined) names.add(counter.family.name);
        }
      }
    }
  }
  return [...names];
}
