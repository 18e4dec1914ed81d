import type { Input } from '../../../src/rules/promql/evaluation.ts';
import { DAY, drawCharacter, HOUR, WEEK } from './background.ts';
import type { Event } from './event.ts';
import { attack } from './inject.ts';
import { Random } from './random.ts';
import { CODES, drawShifts, drawSite, type Site } from './site.ts';
import { THEMES } from './themes.ts';

/** History of an account: its series and its events. */
export interface History {
  readonly account: string;
  readonly theme: string;
  readonly inputs: readonly Input[];
  readonly events: readonly Event[];
  readonly minutes: number;
}

/** Draws the history of an account from a seed: its size, daily pattern and events. */
export function drawHistory(seed: number, account: number, weeks: number): History {
  const random = new Random(seed).fork(account);
  const minutes = weeks * WEEK;
  const theme = Object.keys(THEMES)[account % Object.keys(THEMES).length] ?? 'quiet';
  const sites = drawSites(random, theme, minutes);
  const events = THEMES[theme]?.(random.fork(1), sites, minutes) ?? [];
  scan(random.fork(2), sites, minutes);
  lose(random.fork(3), sites, minutes, events);
  const inputs = sites.flatMap((site, index) => inputsOf(site, String(account), String(index)));
  return { account: String(account), theme, inputs, events, minutes };
}

/** Delay and lower bounds of live data. */
export interface Live {
  /** Minutes between the end of a minute and its publication. */
  readonly delay: number;
  /**
   * Share of a minute that its lower bound contains at the minute's end; undefined if there are no lower
   * bounds.
   */
  readonly bound: number | undefined;
}

/**
 * Returns a history as an exporter exposes it live: minutes are late, and lower bounds of threats appear at
 * once.
 */
export function seenLive(history: History, { delay, bound }: Live): History {
  const inputs = history.inputs.flatMap((input): readonly Input[] => {
    const late = new Float64Array(input.values.length).fill(Number.NaN);
    late.set(input.values.subarray(0, late.length - delay), delay);
    const published = { ...input, values: late };
    if (bound === undefined || input.name !== 'edge_waf_threats_per_minute') return [published];
    const atLeast = input.values.map((value) => Math.floor(value * bound));
    return [published, { ...input, name: 'edge_waf_threats_at_least_per_minute', values: atLeast }];
  });
  return { ...history, inputs };
}

function drawSites(random: Random, theme: string, minutes: number): [Site, ...Site[]] {
  const size = theme === 'tiny' ? 300 : random.logNormal(1_500, 1.6);
  const weekend = theme === 'weekends' ? { weekend: random.pick([0.12, 0.25, 0.4, 1.8]) } : {};
  const days = { ...drawCharacter(random, 1), ...weekend };
  const shifts = drawShifts(random, minutes);
  const count = theme === 'moved' ? 3 : random.pick([1, 2, 3, 4]);
  const draw = (index: number): Site => {
    const last = theme === 'tiny' && index === count - 1;
    const level = last ? random.between(1.5, 5) : size / (index + 1) ** 1.3;
    const quiet = theme === 'low and slow' && index === count - 1;
    return drawSite(random.fork(10 + index), {
      name: `site-${index}`,
      days: last ? { ...days, daily: Math.min(days.daily, 0.4) } : days,
      level,
      threats: quiet ? 0.3 : level * random.logNormal(0.003, 1.2),
      minutes,
      shifts,
    });
  };
  return [draw(0), ...Array.from({ length: count - 1 }, (_, index) => draw(index + 1))];
}

function scan(random: Random, sites: readonly Site[], minutes: number): void {
  for (const site of sites) {
    for (let at = random.between(0, 4) * DAY; at < minutes; at += random.between(1, 6) * DAY) {
      const mean = site.usual.threats[Math.round(at)] ?? 0;
      const height = random.logNormal(4 * mean + 5, 0.9);
      attack(site, Math.round(at), new Float64Array(Math.round(random.between(1, 3))).fill(height));
    }
  }
}

function lose(random: Random, sites: readonly Site[], minutes: number, events: readonly Event[]): void {
  for (let at = random.between(2, 20) * DAY; at < minutes; at += random.between(5, 25) * DAY) {
    const from = Math.round(at);
    const to = from + Math.round(random.logBetween(5, 4 * HOUR));
    if (events.some((event) => event.from < to + 30 && from - 30 < event.to)) continue;
    for (const { requests, threats, blocked, sql, missed, codes } of sites) {
      const all = [requests, threats, blocked, sql, missed, ...Object.values(codes)];
      for (const values of all) values.fill(Number.NaN, from, to);
    }
  }
}

/** Returns the series that the exporter exposes for a configuration. */
export function inputsOf(site: Site, account: string, id: string): readonly Input[] {
  const labels = { account, product: 'p', configuration_id: id, configuration: site.name };
  const one = (name: string, values: Float64Array, more = {}): Input => ({
    name,
    labels: { ...labels, ...more },
    values,
  });
  const rest = (whole: Float64Array, parts: readonly Float64Array[]): Float64Array =>
    whole.map((value, at) =>
      Math.max(
        0,
        parts.reduce((left, part) => left - (part[at] ?? 0), value),
      ),
    );
  const { requests, threats, blocked, sql, missed, codes, ruleSetChanged } = site;
  return [
    ...(ruleSetChanged === undefined
      ? []
      : [
          {
            name: 'edge_waf_ruleset_changed_timestamp_seconds',
            labels: { account, waf_ruleset: 'main', waf_ruleset_id: '1' },
            values: ruleSetChanged,
          },
        ]),
    one('edge_requests_per_minute', requests),
    one('edge_requests_by_cache_per_minute', missed, { cache: 'missed' }),
    one('edge_requests_by_cache_per_minute', rest(requests, [missed]), { cache: 'saved' }),
    one('edge_waf_threats_per_minute', threats),
    one('edge_waf_blocked_per_minute', blocked),
    one('edge_waf_threats_by_family_per_minute', sql, { family: 'sql' }),
    one('edge_waf_threats_by_family_per_minute', rest(threats, [sql]), { family: 'xss' }),
    ...CODES.map((code) => one('edge_responses_per_minute', codes[code], { class: `${code[0]}xx`, code })),
    one('edge_responses_per_minute', rest(requests, Object.values(codes)), { class: '2xx', code: '200' }),
  ];
}
