import type { AccountStatus, QuotaStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
import { bySeverity, type Finding, SEVERITY } from './finding.ts';
import { type Html, html } from './html.ts';
import type { TalliedAccount, Tally } from './job-totals.ts';
import { clockTime, grouped, moment } from './time-format.ts';

/** From here on a difference of the clocks (s) is an operator's business. */
const CLOCK_SKEW_SECONDS = 30;

/** Intervals are reported when they are this many times as long as planned. */
const NOTABLE_STRETCH = 1.5;

const OWN_TOKEN = html`Others use up the quota of this token: give the exporter a token of its own, or leave more to them with <code>quota.reserve</code>.`;

/** What is wrong with an account, before it is known which account that is. */
type Trouble = Omit<Finding, 'account'>;

/** What there is to be told of an account, the worst first. */
export function accountFindings({ account, tally }: TalliedAccount, now: number): Finding[] {
  const troubles = [...troublesOf(account, tally, now), ...clockTroubles(account)];
  return troubles.map((trouble) => ({ ...trouble, account: account.name })).sort(bySeverity);
}

function troublesOf(account: AccountStatus, tally: Tally, now: number): Trouble[] {
  if (account.up === null) return [unknown(account)];
  if (!account.up) return [down(account, tally, now)];
  const refusals = account.quota.flatMap((scope) => refusal(scope, now) ?? []);
  return [
    ...refusals,
    ...(late(account, tally) ?? stretched(account) ?? []),
    ...behind(tally),
    ...failing(tally),
  ];
}

function unknown({ note }: AccountStatus): Trouble {
  const why = note === '' ? '' : html`: <bdi>${note}</bdi>`;
  return {
    severity: SEVERITY.note,
    mood: 'calm',
    text: html`the platform has not answered yet${why}`,
    next: html`The first answers take a few seconds.`,
  };
}

function down(
  { note, up_since: since, next_try_at: next }: AccountStatus,
  tally: Tally,
  now: number,
): Trouble {
  const tried = next === null ? 'being tried now' : html`next try ${moment(next, now)}`;
  return {
    severity: SEVERITY.down,
    mood: 'bad',
    text: html`<bdi>${note}</bdi> (${since === null ? '' : html`since ${clockTime(since, now)}, `}${tried})`,
    next: remedy(tally),
  };
}

/** What to do about an account that is not up, by how most of its polls fail. */
function remedy({ failure }: Tally): Html {
  if (failure === 'unauthorized') {
    return html`Renew the credentials: a token file is read again by itself, a token of the configuration on a reload, <code>EDGE_TOKEN</code> on a restart.`;
  }
  if (failure === 'server_error') {
    return html`The platform is at fault: see its status page. Polling goes on, and counters catch up on what they missed.`;
  }
  return html`<code>edge-exporter doctor</code> finds where it breaks: name, network, proxy, TLS or address. Polling goes on.`;
}

function refusal({ scope, stopped_until: until, ...quota }: QuotaStatus, now: number): Trouble | undefined {
  if (until === null) return undefined;
  return {
    severity: SEVERITY.refused,
    mood: 'bad',
    text: html`the platform refuses <bdi>${scope}</bdi> (429), next try ${moment(until, now)}${spender([quota])}`,
    next: OWN_TOKEN,
  };
}

/** Who else spends the quota, as far as observed. */
function spender(quota: readonly Pick<QuotaStatus, 'others_per_minute'>[]): Html {
  const others = Math.round(Math.max(0, ...quota.map(({ others_per_minute }) => others_per_minute)));
  return others < 1
    ? html``
    : html`; other clients of the token take about ${grouped(others)} operations a minute`;
}

function late(
  { stretch, quota }: AccountStatus,
  { late, lateThoughRead, jobs, oldestSeconds = 0 }: Tally,
): Trouble[] | undefined {
  if (late === 0) return undefined;
  const trouble = { severity: SEVERITY.late, mood: 'warn' } as const;
  const text = html`${grouped(late)} of ${grouped(jobs)} jobs show data older than expected, up to ${duration(oldestSeconds)}`;
  const which = html`<a href="?show=late#jobs-head">See which</a>`;
  if (stretch < NOTABLE_STRETCH && lateThoughRead === late) {
    const next = html`Polls succeed, the platform has nothing newer yet: counters catch up when it has. ${which}.`;
    return [{ ...trouble, text: html`the platform is late: ${text}`, next }];
  }
  const intervals =
    stretch < NOTABLE_STRETCH ? '' : html`; intervals are ${grouped(stretch)} times as long as planned`;
  const next = html`${which}, and what each waits for.`;
  return [{ ...trouble, text: html`${text}${intervals}${spender(quota)}`, next }];
}

/** Counters that stand still while gauges are fresh look like no traffic at all. */
function behind({ late, behindSeconds, behindParts }: Tally): Trouble[] {
  const [worst, ...others] = behindParts;
  if (worst === undefined) return [];
  const and =
    others.length === 0 ? '' : ` and ${others.length} other ${others.length === 1 ? 'part' : 'parts'}`;
  const upTo = others.length === 0 ? '' : 'up to ';
  const gauges = late === 0 ? ', gauges are fresh' : '';
  return [
    {
      severity: SEVERITY.behind,
      mood: 'warn',
      text: html`counters of <bdi>${worst}</bdi>${and} are ${upTo}${duration(behindSeconds)} behind${gauges}`,
      next: html`<a href="?show=behind#jobs-head">See which</a>. What is missing is being read again: until then <code>increase()</code> lacks it.`,
    },
  ];
}

function stretched({ stretch, quota, demand_per_minute: demand }: AccountStatus): Trouble[] | undefined {
  if (stretch < NOTABLE_STRETCH) return undefined;
  const text = html`the quota makes intervals ${grouped(stretch)} times as long as planned${spender(quota)}`;
  if (quota.some(({ others_per_minute: others }) => others >= 1)) {
    return [{ severity: SEVERITY.starved, mood: 'warn', text, next: OWN_TOKEN }];
  }
  const next = html`${grouped(demand)} operations a minute are planned: <code>edge-exporter plan</code> shows for what, and what would help.`;
  return [{ severity: SEVERITY.note, mood: 'calm', text, next }];
}

function failing({ failing, jobs, reasons }: Tally): Trouble[] {
  if (failing === 0) return [];
  const [reason = '', ...others] = reasons;
  const more =
    others.length === 0
      ? ''
      : `, and for ${others.length} other ${others.length === 1 ? 'reason' : 'reasons'}`;
  return [
    {
      severity: SEVERITY.failing,
      mood: 'warn',
      text: html`${grouped(failing)} of ${grouped(jobs)} jobs ${failing === 1 ? 'fails' : 'fail'}: <bdi>${reason.replace(/\.+$/, '')}</bdi>${more}`,
      next: html`<a href="?show=failing#jobs-head">See which</a>.`,
    },
  ];
}

function clockTroubles({ clock_skew_seconds: skew }: AccountStatus): Trouble[] {
  if (Math.abs(skew) < CLOCK_SKEW_SECONDS) return [];
  return [
    {
      severity: SEVERITY.clock,
      mood: 'warn',
      text: html`this machine’s clock is ${duration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} the platform’s`,
      next: html`Set this machine’s clock (NTP). Data is polled and aged by the platform’s clock, so none is lost.`,
    },
  ];
}
