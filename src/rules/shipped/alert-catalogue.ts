import type { Severity } from './rule.ts';
import { DAY, HOUR, MINUTE } from './times.ts';

/** A parameter of an alert that users may choose. */
export interface Parameter {
  /** `number`; `share`: 0 to 1; `duration`: milliseconds here, `1h30m` in the file. */
  readonly kind: 'number' | 'share' | 'duration';
  readonly default: number;
  readonly min?: number;
  readonly about: string;
}

/** An alert of the catalogue, with the parts that an alerts file can change. */
export interface AlertKind {
  /** Finest level at which an alerts file can select the alert. */
  readonly level: 'configuration' | 'account' | 'exporter';
  /** Highest severity of the alert as shipped. Some alerts also have forms with a lower severity. */
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
    times_usual: number(3, 'Factor over the usual value of this hour from which the alert fires.', 1),
    floor: number(floor, `${what} a minute below which there is no alert.`),
  };
}

function elevated(floor: number, what: string) {
  return {
    hour_times_usual: number(2, 'Largest factor of the mean of the last hour over the usual value.', 1),
    hour_floor: number(floor, `${what} a minute, in the mean of an hour, below which there is no alert.`),
    minutes: number(4, 'Minutes above the threshold within an hour that count as a burst.', 1),
  };
}

function alert<
  Level extends AlertKind['level'],
  Grave extends Severity,
  Parameters extends AlertKind['parameters'] = Readonly<Record<never, Parameter>>,
>(level: Level, severity: Grave, parameters: Parameters = {} as Parameters) {
  return { level, severity, parameters };
}

/** First step for a page or a ticket. It ends the alert's text and the check in its runbook. */
export const FIRST_STEPS: Readonly<Record<AlertName, string>> = {
  EdgeWafSpike:
    'compare detected and blocked threats in `Detected and stopped` on the Security dashboard. If about as many are blocked, the WAF holds. If far fewer are blocked, switch the rule set to blocking.',
  EdgeWafElevated:
    'look at `Detected and stopped` on the Security dashboard. If the WAF stops what it detects and threats do not grow, it can wait. If they grow, act as for EdgeWafSpike now.',
  EdgeAttackUsual:
    'decide whether it is still an attack or new traffic. `Threats by family` and `Let through` on the Security dashboard show the difference.',
  EdgeWafBlockedSpike:
    'look at `Last changes of settings` on the Security dashboard. If a rule changed or a deployment happened as it began, relax that rule. Otherwise it is an attack that the WAF stops.',
  EdgeWafFamilyAttack:
    'look at `Detected and stopped` on the Security dashboard. If the WAF stops less than it detects, raise the sensitivity of the family.',
  EdgeStatusCodeSurge:
    "act by the code. 404: find the path in the origin's log. 403: find the rule. 401 and 429: look for password guessing. 5xx: act as for Edge5xxRatio.",
  EdgeTrafficFlood: 'look at `Served from the cache` on the Configuration dashboard.',
  EdgeTrafficDrop:
    'open the site from outside, for example on a phone. No answer: check DNS, then the certificate. An error: act as for Edge5xxRatio. A working site: it is a holiday or the end of a campaign.',
  Edge5xxRatio:
    'look at `Server errors (5xx)` on the Configuration dashboard. 500: roll back the last deployment. 502, 503 and other: check the origin and the network to it.',
  Edge4xxRatio:
    'look at `Client errors (4xx)` on the Configuration dashboard. 404 is a broken link or a scanner. 403 is a rule. Other is often a login or a rate limit.',
  EdgeOffloadCollapse:
    'look at `Last changes of settings` on the Security dashboard. If a cache setting changed as it began, undo it. Otherwise ask who purged the cache, and wait until it fills again.',
  EdgeErrorsRecur:
    'ask who maintains the site at that time. Add an Alertmanager time interval for it to `mute_time_intervals`.',
  EdgeRuleSetSwitched:
    'look at `Last changes of settings` on the Security dashboard. Ask whoever changed the rule set whether the new level is intended.',
  EdgeOriginErrors:
    'look at `Responses of the origin` on the Configuration dashboard. Find out when 5xx rose and what was deployed then.',
  EdgeOriginSlow:
    'compare `requests` with `origin` in `Time a request takes` on the Configuration dashboard. If `requests` did not rise, the cache holds, and it can wait.',
  EdgeWafCounting:
    'ask whoever changed it last (`Last changes of settings` on the Security dashboard) whether it is being tuned. If not, switch it back to blocking.',
  EdgeWafOff:
    "switch it on again in the platform's console, unless somebody knows why it is off. `Last changes of settings` on the Security dashboard shows since when.",
  EdgeFirewallDisabled:
    "activate it again in the platform's console, unless somebody knows why it is off. `Last changes of settings` on the Security dashboard shows since when.",
  EdgeErrorPageCachedTooLong: 'lower the time for which the configuration caches that code to a few seconds.',
  EdgeCertificateExpiring:
    "read in the alert's text who renews it. The platform: check that the domain still points to it. You: renew it and bind the new one to its domains.",
  EdgeSettingChanged: 'compare its time with the beginning of the problem that you investigate.',
  EdgeDataStale:
    "open the exporter's status page (`/`). It begins with the cause and the next step. If the platform is late, wait, and ask the platform after an hour.",
  EdgePlatformUnreachable:
    "open the exporter's status page (`/`). It begins with the cause and the next step.",
  EdgePollsFailing: "open the exporter's status page (`/`), filtered by *Failing*. Each poll has its reason.",
  EdgeCollectorFailing:
    "open the exporter's status page (`/`). It begins with the permission that is missing. Grant it, or leave the collector out.",
  EdgeNotDiscovered:
    'run `edge-exporter doctor`. It names products that cannot be listed, and names that match nothing.',
  EdgeAccountPolledTwice: 'compare the targets that the description names, as `instance (job) as account`.',
  EdgeQuotaNearlySpent:
    "open the exporter's status page (`/`). If other clients use the token, give the exporter a token of its own. If not, poll less often.",
  EdgeReconciliationOff:
    'look at `Lost or late` on the Exporter dashboard. Skipped or restated buckets explain the difference. If there are none, report it.',
  EdgeBucketsSkipped:
    "compare with the platform's console for that time. If the buckets are missing there as well, the platform has lost them.",
  EdgeBucketsRestatedLate:
    'compare the age in the text with `settle_delay`. If you set that time yourself, raise it above the age.',
  EdgeCountersBehind: 'see on the status page whether `counted until` moves. If it does, wait.',
  EdgeRowsMissing: "open the exporter's status page (`/`). It names the metrics and how much is missing.",
  EdgeTokenExpiring:
    "read the platform's answer to the renewal in the exporter's log. Correct a wrong user or password. Replace a token that comes from a file.",
  EdgeStateNotKept:
    'check the free space and the mount of the directory in the log, or whether the database answers.',
  EdgeExporterDown:
    "check on its host whether the process runs (`systemctl status`, `docker ps`, `kubectl get pods`). If not, start it. If it runs, Prometheus' targets page has the reason.",
  EdgeConfigReloadFailed:
    'run `edge-exporter check-config` on the file. It names every mistake with its line.',
  EdgeSeriesDropped: 'raise `limits.series`, if Prometheus can hold them, and reload.',
  EdgePushBehind:
    "read the exporter's log. It has the receiver's answer, or the reason why the outbox cannot be read.",
  EdgePushLosing: "read the log. The first refusal of each reason has the receiver's own words.",
};

/** All alerts with their parameters. */
export const ALERTS = {
  EdgeWafSpike: alert('configuration', 'page', {
    ...spike(40, 'Threats'),
    deviations: number(4, 'Deviations of single minutes above the usual value from which the alert fires.'),
  }),
  EdgeWafElevated: alert('configuration', 'ticket', elevated(10, 'Threats')),
  EdgeAttackUsual: alert('configuration', 'ticket'),
  EdgeWafBlockedSpike: alert('configuration', 'ticket', spike(40, 'Blocked requests')),
  EdgeWafFamilyAttack: alert('configuration', 'ticket', spike(40, 'Threats of the family')),
  EdgeStatusCodeSurge: alert('configuration', 'ticket', {
    ...spike(60, 'Responses'),
    ...elevated(8, 'Responses'),
  }),
  EdgeTrafficFlood: alert('configuration', 'info', spike(3_000, 'Requests')),
  EdgeTrafficDrop: alert('configuration', 'page', {
    dead: share(
      0.05,
      'Share of the lowest traffic around this hour in the last two weeks below which a site is dead.',
    ),
    share: share(0.8, 'Share of the lowest traffic around this hour below which a drop is a ticket.'),
    least_requests: number(60, 'Mean requests a minute of a day below which drops are not judged.', 1),
  }),
  Edge5xxRatio: alert('configuration', 'page', {
    budget: share(0.001, 'Share of the responses that may be server errors in the long run.'),
    fast_burn: number(14.4, 'Multiple of the budget over 5 and 30 minutes that pages.'),
    slow_burn: number(6, 'Multiple of the budget over 30 minutes and 6 hours that pages.'),
    least_requests: number(10, 'Requests a minute below which only the number of failures pages.'),
    least_failures: number(10, 'Failures in 15 minutes that page if they are half of the responses.', 1),
  }),
  Edge4xxRatio: alert('configuration', 'ticket', {
    share: share(0.2, 'Share of client errors below which there is no alert.'),
    times_usual: number(3, 'Factor over the usual share from which the alert fires.', 1),
    least_requests: number(200, 'Requests a minute below which the share is not judged.', 1),
  }),
  EdgeOffloadCollapse: alert('configuration', 'ticket', {
    loss: share(0.3, 'Largest loss of the share of requests that the cache serves, against the usual share.'),
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
    times_usual: number(3, 'Factor over the median of the last day from which the alert fires.', 1),
    least_responses: number(10, "The origin's responses a minute below which they are not judged.", 1),
  }),
  EdgeWafCounting: alert('account', 'ticket'),
  EdgeWafOff: alert('account', 'page'),
  EdgeFirewallDisabled: alert('account', 'page'),
  EdgeErrorPageCachedTooLong: alert('configuration', 'ticket', {
    longest: time(5 * MINUTE, 'Longest time that 5xx responses may be cached.'),
  }),
  EdgeCertificateExpiring: alert('account', 'page', {
    ticket: time(21 * DAY, 'Remaining validity of a certificate at which it is a ticket.'),
    page: time(3 * DAY, 'Remaining validity of a certificate at which it is a page.'),
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
    stretch: number(1.5, 'Largest ratio of the polling interval to the configured one.', 1),
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
    after: time(HOUR, 'Longest delay of counters, beyond the age at which they count a bucket.', MINUTE),
  }),
  EdgeRowsMissing: alert('account', 'ticket', {
    share: share(0.1, 'Share of the buckets that may be missing in answers.'),
  }),
  EdgeTokenExpiring: alert('account', 'page', {
    ticket: time(2 * HOUR, 'Remaining validity of the token at which it is a ticket.'),
    page: time(30 * MINUTE, 'Remaining validity of the token at which it is a page.'),
  }),
  EdgeStateNotKept: alert('exporter', 'ticket'),
  EdgeExporterDown: alert('exporter', 'page'),
  EdgeConfigReloadFailed: alert('exporter', 'ticket'),
  EdgeSeriesDropped: alert('exporter', 'ticket'),
  EdgePushBehind: alert('exporter', 'ticket', {
    after: time(15 * MINUTE, 'Longest time that samples may wait for a receiver.', MINUTE),
  }),
  EdgePushLosing: alert('exporter', 'ticket'),
} as const satisfies Readonly<Record<string, AlertKind>>;

export type AlertName = keyof typeof ALERTS;

export type ParameterOf<Name extends AlertName> = keyof (typeof ALERTS)[Name]['parameters'] & string;
