import { meanOf } from '../../../src/rules/shipped/error-rules.ts';
import {
  measures,
  RESPONSES,
  recorded,
  SCOPE_NAMES,
  type Scope,
} from '../../../src/rules/shipped/measures.ts';
import { TIMES } from '../../../src/rules/shipped/times.ts';

const CODES = ['400', '401', '403', '404', '429', 'other'].map((code) => ['4xx', code] as const);
const ERRORS = ['500', '502', '503', '504', 'other'].map((code) => ['5xx', code] as const);
const OTHERS = ['200', '204', '206', 'other'].map((code) => ['2xx', code] as const);
const FAMILIES = ['sql', 'xss', 'rfi', 'other'];
const ACCOUNTS = 5;

/** The labels of configurations, spread over five accounts. */
export interface Site {
  readonly account: string;
  readonly configuration: string;
}

export function makeSites(configurations: number): readonly Site[] {
  return Array.from({ length: configurations }, (_, index) => ({
    account: `account="account-${index % ACCOUNTS}",product="edge_applications"`,
    configuration: `configuration="site-${index}"`,
  }));
}

/** What the exporter shows of them: the families that rules are made of. */
export function expositionText(sites: readonly Site[], now: number): string {
  const value = () => Math.round(Math.random() * 100);
  const lines = sites.flatMap(({ account, configuration }, index) => {
    const labels = `${account},configuration_id="${index}",${configuration}`;
    return [
      `edge_configuration_info{${labels},active="true"} 1`,
      ...['waf', 'status_code', 'cdn_requests'].map(
        (metric) => `edge_data_until_timestamp_seconds{${labels},metric="${metric}"} ${now / 1_000 - 180}`,
      ),
      ...['edge_waf_threats', 'edge_waf_blocked', 'edge_requests'].map(
        (stem) => `${stem}_per_minute{${labels}} ${value()}`,
      ),
      ...FAMILIES.map(
        (name) => `edge_waf_threats_by_family_per_minute{${labels},family="${name}"} ${value()}`,
      ),
      ...['saved', 'missed'].map(
        (cache) => `edge_requests_by_cache_per_minute{${labels},cache="${cache}"} ${value()}`,
      ),
      ...[...OTHERS, ...CODES, ...ERRORS].map(
        ([name, code]) => `edge_responses_per_minute{${labels},class="${name}",code="${code}"} ${value()}`,
      ),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** The label sets of a measure in a scope, beside those of the scope. */
function extras(by: readonly string[]): readonly string[] {
  if (by.includes('family')) return FAMILIES.map((name) => `,family="${name}"`);
  if (by.includes('code'))
    return [...CODES, ...ERRORS].map(([name, code]) => `,class="${name}",code="${code}"`);
  return [''];
}

function owners(sites: readonly Site[], scope: Scope): readonly string[] {
  if (scope === 'account') return [...new Set(sites.map(({ account }) => account))];
  return sites.map(({ account, configuration }) => `${account},${configuration}`);
}

/** The past of the recorded series, as far as rules look back: OpenMetrics, a family at a time. */
export function* pastText(sites: readonly Site[], now: number): Generator<string> {
  const { minute, baseline, hour, recent, day, week, burn } = TIMES;
  const span = (length: number, step: number, end = 0): number[] =>
    Array.from(
      { length: Math.floor(length / step) },
      (_, index) => now - end - (Math.floor(length / step) - index) * step,
    );
  const seasons = [3 * week, 2 * week, week, 3 * day, 2 * day].flatMap((ago) =>
    span(hour, baseline, ago - hour / 2),
  );
  for (const scope of SCOPE_NAMES) {
    for (const measure of measures()) {
      const names = recorded(scope, measure);
      const labels = owners(sites, scope).flatMap((owner) =>
        extras(measure.by).map((extra) => owner + extra),
      );
      for (const name of [names.value]) {
        yield* family(name, labels, span(2 * hour, minute));
      }
      yield* family(names.hourly, labels, [...seasons, ...span(day + hour, baseline)]);
      yield* family(names.drift, labels, span(day, baseline));
      yield* family(names.variation, labels, span(recent, baseline));
    }
    for (const kind of ['all', 'serverErrors'] as const) {
      yield* family(`${scope}:${RESPONSES[kind].name}:sum`, owners(sites, scope), span(recent, minute));
      yield* family(
        meanOf(scope, kind, burn.creeping[0]),
        owners(sites, scope),
        span(burn.creeping[1], baseline),
      );
    }
  }
}

function* family(name: string, labels: readonly string[], times: readonly number[]): Generator<string> {
  yield `# TYPE ${name} gauge\n`;
  for (const set of labels) {
    const lines = times.map(
      (time) => `${name}{${set}} ${(Math.random() * 10).toFixed(3)} ${(time / 1_000).toFixed(3)}`,
    );
    yield `${lines.join('\n')}\n`;
  }
}
