import type { Severity } from './rule.ts';
import { DAY, HOUR, MINUTE } from './times.ts';

/** Something of an alert that users may choose. */
export interface Parameter {
  /** `number`: as it is. `share`: 0 to 1. `duration`: written as `1h30m`; milliseconds here. */
  readonly kind: 'number' | 'share' | 'duration';
  readonly default: number;
  readonly min?: number;
  readonly about: string;
}

/** An alert as users see it. */
export interface AlertKind {
  /** What its labels can select, and so be chosen differently. */
  readonly level: 'configuration' | 'account' | 'exporter';
  /** The gravest form as it is shipped. */
  readonly severity: Severity;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

function number(value: number, about: string, min = 0): Parameter {
  return { kind: 'number', default: value, min, about };
}

function share(value: number, about: string): Parameter {
  return { kind: 'share', default: value, about };
}

function time(ms: number, about: string, min = 0): Parameter {
  return { kind: 'duration', default: ms, min, about };
}

function spike(floor: number, what: string) {
  return {
    times_usual: number(3, 'How many times what is usual at this hour is too much.', 1),
    floor: number(floor, `${what} a minute below which there is no alert.`),
  };
}

/** What of the last hour is too much for a ticket, long before it is for a page. */
function elevated(floor: number, what: string) {
  return {
    hour_times_usual: number(2, 'How many times what is usual the mean of the last hour may be.', 1),
    hour_floor: number(floor, `${what} a minute, in the mean of an hour, below which there is no alert.`),
    minutes: number(4, 'Minutes above the threshold within an hour that are a burst.', 1),
  };
}

function alert<
  Level extends AlertKind['level'],
  Grave extends Severity,
  Parameters extends AlertKind['parameters'] = Readonly<Record<never, Parameter>>,
>(level: Level, severity: Grave, parameters: Parameters = {} as Parameters) {
  return { level, severity, parameters };
}

/** What to do first: the end of the text of a page or a ticket, and the first step of its runbook. */
export const FIRST_STEPS: Readonly<Record<AlertName, string>> = {
  EdgeWafSpike:
    "compare what is detected with what is blocked, by the alert's text or, over time, by `Detected and stopped` on the Security dashboard: about as many: the WAF holds, and it can wait; clearly fewer blocked: in the platform's console, switch the rule set to blocking, or raise its sensitivity.",
  EdgeTrafficFlood: 'look at `Served from the cache` on the Configuration dashboard.',
  EdgeTrafficDrop:
    'open the site from outside, a phone will do: no answer: look at DNS, then at the certificate; an error: go on as for Edge5xxRatio; as ever: a holiday, the end of a campaign, or visitors who are sent elsewhere, and nothing to mend.',
  Edge5xxRatio:
    'look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.',
  EdgeWafOff:
    "switch it on again in the platform's console, unless somebody can say why it is off; `Last changes of settings` on the Security dashboard says since when.",
  EdgeFirewallDisabled:
    "activate it again in the platform's console, unless somebody can say why it is off; `Last changes of settings` on the Security dashboard says since when.",
  EdgeCertificateExpiring:
    "see in the alert's text who renews it. The platform: look whether the domain is still delegated to it. You: renew it, and bind the new one to its domains.",
  EdgeTokenExpiring:
    "read the exporter's log: it has the platform's answer to the renewal; a wrong user or password: correct it; a token from a file: put a new one in its place.",
  EdgeExporterDown:
    "look on its host whether its process runs (`systemctl status`, `docker ps`, `kubectl get pods`): if not, start it; if it does, Prometheus' targets page says why it cannot be scraped.",
  EdgeWafElevated:
    'look at `Detected and stopped` on the Security dashboard: as much stopped as detected, and no growth: it can wait; if it grows, do as for EdgeWafSpike now.',
  EdgeAttackUsual:
    'decide whether it is an attack still, or traffic that has changed: `Threats by family` and `Let through` on the Security dashboard.',
  EdgeWafBlockedSpike:
    'look at `Last changes of settings` on the Security dashboard: a rule that changed as it began, or a deployment then, may stop your own visitors: relax it; without either it is an attack that the WAF stops.',
  EdgeWafFamilyAttack:
    'look at `Detected and stopped` on the Security dashboard: if less is stopped than detected, raise the sensitivity of the family.',
  Edge4xxRatio:
    'look which code it is, at `Client errors (4xx)` on the Configuration dashboard: 404 is a broken link or a scanner, 403 a rule, other often a login or a rate limit.',
  EdgeStatusCodeSurge:
    'go by the code: 404: a missing page, or a scanner: the log of the origin has the path; 403: a rule; other 4xx: logins or a limit, in the same log; 5xx: as for Edge5xxRatio.',
  EdgeOffloadCollapse:
    'look at `Last changes of settings` on the Security dashboard: a change of the cache as it began: undo it; none: ask who has purged the cache, and wait: it fills again.',
  EdgeErrorsRecur:
    'ask who maintains the site at that time; add an Alertmanager time interval for it to `mute_time_intervals`.',
  EdgeRuleSetSwitched:
    'look at `Last changes of settings` on the Security dashboard, and ask whoever changed the rule set whether the new level is meant.',
  EdgeOriginErrors:
    'look at `Responses of the origin` on the Configuration dashboard: since when 5xx have risen, and what was deployed then.',
  EdgeOriginSlow:
    'compare `requests` with `origin` in `Time a request takes` on the Configuration dashboard: where `requests` did not rise, the cache holds, and it can wait.',
  EdgeWafCounting:
    'ask whoever changed it last (`Last changes of settings` on the Security dashboard) whether it is being tuned; if not, switch it back to blocking.',
  EdgeErrorPageCachedTooLong: 'lower the time for which the configuration caches that code to a few seconds.',
  EdgeSettingChanged: 'compare its time with the beginning of what you look into.',
  EdgeDataStale:
    "open the exporter's status page (`/`): it begins with what is wrong and what to do; if the platform is late: wait, and ask the platform after an hour.",
  EdgePlatformUnreachable: "open the exporter's status page (`/`): it begins with the cause and what to do.",
  EdgePollsFailing: "open the exporter's status page (`/`), filtered by *Failing*: each poll has its reason.",
  EdgeCollectorFailing:
    "open the exporter's status page (`/`): it begins with the permission that is missing; grant it, or leave the collector out.",
  EdgeNotDiscovered:
    'run `edge-exporter doctor`: it names what cannot be listed, and names that match nothing.',
  EdgeAccountPolledTwice: 'compare the targets that the description names, as `instance (job) as account`.',
  EdgeQuotaNearlySpent:
    "open the exporter's status page (`/`): if other clients use the token, give the exporter one of its own; if not, poll less often.",
  EdgeReconciliationOff:
    'look at `Lost or late` on the Exporter dashboard: buckets that were skipped or restated explain the difference; where there are none, report it.',
  EdgeBucketsSkipped:
    "look at the platform's own console for that time: what is missing there as well, the platform has lost.",
  EdgeBucketsRestatedLate:
    'compare the age in the text with `settle_delay`; a time of your own that is shorter: raise it above the age.',
  EdgeCountersBehind: 'look on the status page whether `counted until` moves; if it does, wait.',
  EdgeRowsMissing: "open the exporter's status page (`/`): it says how much is missing, and of what.",
  EdgeStateNotKept:
    'look at the free space and the mount of the directory that the log names, or whether the database that it names answers.',
  EdgeConfigReloadFailed:
    'run `edge-exporter check-config` on the file: it names every mistake with its line.',
  EdgeSeriesDropped: 'raise `limits.series`, if Prometheus can hold them, and reload.',
  EdgePushBehind: "read the exporter's log: it has the receiver's answer, or why its outbox cannot be read.",
  EdgePushLosing: "read the log: the first refusal of each reason has the receiver's own words.",
};

/** Every alert, with what users may choose of it. */
export const ALERTS = {
  EdgeWafSpike: alert('configuration', 'page', {
    ...spike(40, 'Threats'),
    deviations: number(4, 'How many deviations of single minutes above what is usual are too much.'),
  }),
  EdgeWafElevated: alert('configuration', 'ticket', elevated(10, 'Threats')),
  EdgeAttackUsual: alert('configuration', 'ticket'),
  EdgeWafBlockedSpike: alert('configuration', 'ticket', spike(40, 'Blocked requests')),
  EdgeWafFamilyAttack: alert('configuration', 'ticket', spike(40, 'Threats of the family')),
  EdgeStatusCodeSurge: alert('configuration', 'ticket', {
    ...spike(60, 'Responses'),
    ...elevated(10, 'Responses'),
  }),
  EdgeTrafficFlood: alert('configuration', 'info', spike(3_000, 'Requests')),
  EdgeTrafficDrop: alert('configuration', 'page', {
    dead: share(
      0.05,
      'Share of the lowest traffic around this hour in the last two weeks below which a site is dead.',
    ),
    share: share(0.8, 'The same below which a drop is a ticket.'),
    least_requests: number(60, 'Requests a minute, in the mean of a day, that a drop is judged from.', 1),
  }),
  Edge5xxRatio: alert('configuration', 'page', {
    budget: share(0.001, 'Share of the responses that may be server errors in the long run.'),
    fast_burn: number(14.4, 'Times the budget over 5 and 30 minutes that wake somebody.'),
    slow_burn: number(6, 'Times the budget over 30 minutes and 6 hours that wake somebody.'),
    least_requests: number(10, 'Requests a minute below which only the count of failures wakes somebody.'),
    least_failures: number(10, 'Failures in 15 minutes, of half of the responses, that wake somebody.', 1),
  }),
  Edge4xxRatio: alert('configuration', 'ticket', {
    share: share(0.2, 'Share of client errors below which there is no alert.'),
    times_usual: number(3, 'How many times the usual share is too much.', 1),
    least_requests: number(200, 'Requests a minute below which the share is not judged.', 1),
  }),
  EdgeOffloadCollapse: alert('configuration', 'ticket', {
    loss: share(0.3, 'What the share of requests that the cache serves may lose against the usual.'),
    least_requests: number(300, 'Requests a minute below which the share is not judged.', 1),
  }),
  EdgeErrorsRecur: alert('configuration', 'ticket'),
  EdgeRuleSetSwitched: alert('account', 'ticket'),
  EdgeOriginErrors: alert('configuration', 'ticket', {
    share: share(0.05, "Share of the origin's responses that may be server errors."),
    least_responses: number(10, "The origin's responses a minute below which they are not judged.", 1),
  }),
  EdgeOriginSlow: alert('configuration', 'ticket', {
    floor: number(1, 'Mean seconds of a response below which there is no alert.'),
    times_usual: number(3, 'How many times the median of the last day is too much.', 1),
    least_responses: number(10, "The origin's responses a minute below which they are not judged.", 1),
  }),
  EdgeWafCounting: alert('account', 'ticket'),
  EdgeWafOff: alert('account', 'page'),
  EdgeFirewallDisabled: alert('account', 'page'),
  EdgeErrorPageCachedTooLong: alert('configuration', 'ticket', {
    longest: time(5 * MINUTE, 'How long 5xx responses may be cached.'),
  }),
  EdgeCertificateExpiring: alert('account', 'page', {
    ticket: time(21 * DAY, 'What is left of a certificate when it becomes a ticket.'),
    page: time(3 * DAY, 'What is left of a certificate when somebody is woken.'),
  }),
  EdgeSettingChanged: alert('account', 'info'),
  EdgeDataStale: alert('configuration', 'ticket', {
    after: time(10 * MINUTE, 'Age of the newest data at which it is stale.', MINUTE),
  }),
  EdgePlatformUnreachable: alert('account', 'ticket'),
  EdgePollsFailing: alert('account', 'ticket', {
    share: share(0.1, 'Share of the polls that may fail for long.'),
  }),
  EdgeCollectorFailing: alert('account', 'ticket'),
  EdgeNotDiscovered: alert('account', 'ticket'),
  EdgeAccountPolledTwice: alert('account', 'ticket'),
  EdgeQuotaNearlySpent: alert('account', 'ticket', {
    remaining: share(0.1, 'Share of the limit that must be left.'),
    stretch: number(1.5, 'How many times further apart than configured polls may be.', 1),
  }),
  EdgeReconciliationOff: alert('account', 'ticket', {
    tolerance: share(0.01, "Share by which counters may differ from the platform's own sum."),
  }),
  EdgeBucketsSkipped: alert('account', 'ticket', {
    tolerance: share(0.01, 'Share of the buckets that may be missing for good.'),
  }),
  EdgeBucketsRestatedLate: alert('account', 'ticket', {
    tolerance: share(0.01, 'Share of the buckets that may change after they were counted.'),
  }),
  EdgeCountersBehind: alert('account', 'ticket', {
    after: time(HOUR, 'How far counters may be behind, beyond the age at which they take a bucket.', MINUTE),
  }),
  EdgeRowsMissing: alert('account', 'ticket', {
    share: share(0.1, 'Share of the buckets that may be missing in answers.'),
  }),
  EdgeTokenExpiring: alert('account', 'page', {
    ticket: time(2 * HOUR, "What is left of the token's life when it becomes a ticket."),
    page: time(30 * MINUTE, "What is left of the token's life when somebody is woken."),
  }),
  EdgeStateNotKept: alert('exporter', 'ticket'),
  EdgeExporterDown: alert('exporter', 'page'),
  EdgeConfigReloadFailed: alert('exporter', 'ticket'),
  EdgeSeriesDropped: alert('exporter', 'ticket'),
  EdgePushBehind: alert('exporter', 'ticket', {
    after: time(15 * MINUTE, 'How long samples may wait for a receiver.', MINUTE),
  }),
  EdgePushLosing: alert('exporter', 'ticket'),
} as const satisfies Readonly<Record<string, AlertKind>>;

export type AlertName = keyof typeof ALERTS;

export type ParameterOf<Name extends AlertName> = keyof (typeof ALERTS)[Name]['parameters'] & string;
