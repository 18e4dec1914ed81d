import { ratio5xx } from '../../../src/rules/shipped/error-rules.ts';
import {
  type Measure,
  measures,
  RESPONSES,
  recorded,
  SCOPE_NAMES,
  type Scope,
} from '../../../src/rules/shipped/measures.ts';
import { TIMES } from '../../../src/rules/shipped/times.ts';

const CODES = ['400', '403', '404', 'other'].map((code) => ['4xx', code] as const);
const ERRORS = ['500', '502', '503', 'other'].map((code) => ['5xx', code] as const);
const OTHERS = ['200', '204', '206', 'other'].map((code) => ['2xx', code] as const);
const FAMILIES = ['sql', 'xss', 'rfi', 'other'];
const ACCOUNTS = 5;

/** Labels of a configuration. Configurations are spread over five accounts. */
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

const USUAL: Readonly<Record<string, number>> = {
  edge_requests_per_minute: 1_000,
  edge_responses_per_minute: 1_000,
  edge_client_errors_per_minute: 50,
  edge_server_errors_per_minute: 0.5,
  edge_client_error_ratio: 0.05,
  edge_cache_miss_ratio: 0.2,
  edge_waf_threats_per_minute: 10,
  edge_waf_blocked_per_minute: 8,
  sql: 5,
  saved: 800,
  missed: 200,
  '200': 930,
  '403': 10,
  '404': 30,
};

function around(usual: number): number {
  return usual * (0.8 + 0.4 * Math.random());
}

/**
 * Returns the families that the rules read, as the exporter exposes them.
 * @param times factor for threats and errors
 */
export function expositionText(sites: readonly Site[], now: number, times: number): string {
  const value = (name: string, factor = 1) => Math.round(factor * around(USUAL[name] ?? 1));
  const lines = sites.flatMap(({ account, configuration }, index) => {
    const labels = `${account},configuration_id="${index}",${configuration}`;
    return [
      `edge_configuration_info{${labels},active="true"} 1`,
      ...['waf', 'status_code', 'cdn_requests'].map(
        (metric) => `edge_data_until_timestamp_seconds{${labels},metric="${metric}"} ${now / 1_000 - 180}`,
      ),
      `edge_requests_per_minute{${labels}} ${value('edge_requests_per_minute')}`,
      ...['edge_waf_threats_per_minute', 'edge_waf_blocked_per_minute'].map(
        (name) => `${name}{${labels}} ${value(name, times)}`,
      ),
      ...FAMILIES.map(
        (name) => `edge_waf_threats_by_family_per_minute{${labels},family="${name}"} ${value(name, times)}`,
      ),
      ...['saved', 'missed'].map(
        (cache) => `edge_requests_by_cache_per_minute{${labels},cache="${cache}"} ${value(cache)}`,
      ),
      ...[...OTHERS, ...CODES, ...ERRORS].map(([name, code]) => {
        const factor = name === '2xx' ? 1 : times;
        return `edge_responses_per_minute{${labels},class="${name}",code="${code}"} ${value(code, factor)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function extras({ name, by }: Measure): readonly (readonly [labels: string, usual: number])[] {
  if (by.includes('family')) return FAMILIES.map((one) => [`,family="${one}"`, USUAL[one] ?? 1]);
  if (by.includes('code'))
    return [...CODES, ...ERRORS].map(([of, code]) => [`,class="${of}",code="${code}"`, USUAL[code] ?? 1]);
  return [['', USUAL[name] ?? 1]];
}

function owners(sites: readonly Site[], scope: Scope): readonly string[] {
  if (scope === 'account') return [...new Set(sites.map(({ account }) => account))];
  return sites.map(({ account, configuration }) => `${account},${configuration}`);
}

/** Time span in ms since the epoch; excludes its end. */
export type Stretch = readonly [from: number, to: number];

/**
 * Generates the past values of the recorded series in a time span, as far as rules look back from `now`. The
 * text is OpenMetrics, one family after another.
 */
export function* pastText(sites: readonly Site[], now: number, [from, to]: Stretch): Generator<string> {
  const { minute, baseline, hour, day, week, burn } = TIMES;
  const span = (length: number, step: number, end = 0): number[] =>
    Array.from(
      { length: Math.floor(length / step) },
      (_, index) => now - end - (Math.floor(length / step) - index) * step,
    ).filter((time) => time >= from && time < to);
  const seasons = [3 * week, 2 * week, week, 3 * day, 2 * day].flatMap((ago) =>
    span(2 * hour, baseline, ago - hour),
  );
  for (const scope of SCOPE_NAMES) {
    const all = owners(sites, scope);
    // The value of an account is the sum over its configurations.
    const each = scope === 'account' ? sites.length / all.length : 1;
    for (const measure of measures()) {
      const names = recorded(scope, measure);
      const share = measure.name.endsWith('_ratio') ? 1 : each;
      const series = all.flatMap((owner) =>
        extras(measure).map(([extra, usual]) => [owner + extra, share * usual] as const),
      );
      yield* family(names.value, series, span(2 * hour, minute));
      yield* family(names.hourly, series, [...seasons, ...span(day + hour, baseline)]);
    }
    for (const kind of ['all', 'serverErrors'] as const) {
      const { name } = RESPONSES[kind];
      const series = all.map((owner) => [owner, each * (USUAL[name] ?? 1)] as const);
      yield* family(`${scope}:${name}:sum`, series, span(burn.creeping[0], minute));
    }
    const ratios = all.map((owner) => [owner, 0.0005] as const);
    yield* family(ratio5xx(scope, burn.creeping[0]), ratios, span(burn.creeping[1], baseline));
  }
}

type Series = readonly (readonly [labels: string, usual: number])[];

function* family(name: string, series: Series, times: readonly number[]): Generator<string> {
  if (times.length === 0) return;
  yield `# TYPE ${name} gauge\n`;
  for (const [labels, usual] of series) {
    const lines = times.map(
      (time) => `${name}{${labels}} ${around(usual).toPrecision(4)} ${(time / 1_000).toFixed(3)}`,
    );
    yield `${lines.join('\n')}\n`;
  }
}
