/** Injected event of an account. Times are minutes from the start of its history. */
export interface Event {
  readonly kind: EventKind;
  readonly from: number;
  readonly to: number;
  /** Names of the affected configurations. */
  readonly on: readonly string[];
}

/** Expected alerts by kind of event, independent of the rules. */
export const EVENT_KINDS = {
  /** Threats at 6 to 100 times the usual number, for 10 minutes to 4 hours, of any shape. */
  attack: { expects: 'page', by: ['EdgeWafSpike'] },
  /** Threats at 5 or 8 times the usual number for a day. */
  'long attack': { expects: 'page', by: ['EdgeWafSpike'] },
  /** Threats at 8 times the usual number for half an hour, on the day after a long attack. */
  'attack after a long one': { expects: 'page', by: ['EdgeWafSpike'] },
  'daily attack': { expects: 'page', by: ['EdgeWafSpike'] },
  /**
   * Two attacks on the first day: half an hour, and after a pause of half an hour three times as many
   * threats.
   */
  'first day': { expects: 'page', by: ['EdgeWafSpike'] },
  /** Threats in 4 of every 15 minutes. */
  pulses: { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeWafFamilyAttack'] },
  /** More than 3,000 threats per minute for 4 to 6 minutes. */
  burst: { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeWafFamilyAttack'] },
  /** Responses with status 401 for 8 to 20 hours. */
  'credential stuffing': { expects: 'ticket', by: ['EdgeStatusCodeSurge', 'Edge4xxRatio'] },
  /** 15 to 30 threats per minute for hours, on a site with almost none before. */
  'quiet site': { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeWafFamilyAttack'] },
  /** 5 to 100 % server errors for 15 minutes to 3 hours, on a site with at least 30 requests per minute. */
  failure: { expects: 'page', by: ['Edge5xxRatio'] },
  /** 5 % server errors for 2 to 8 hours. */
  'long failure': { expects: 'page', by: ['Edge5xxRatio'] },
  blip: { expects: 'no page', by: [] },
  /** Failure for 1 to 3 hours of a site with 1 to 5 requests per minute. */
  'tiny site fails': { expects: 'ticket', by: ['Edge5xxRatio', 'EdgeStatusCodeSurge'] },
  /**
   * Less than 10 % of the traffic for 20 minutes to 4 hours, on a site with at least 60 requests per minute
   * at that hour.
   */
  drop: { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  /** Four to eight times the usual visitors, without errors. */
  'flash sale': { expects: 'no page', by: [] },
  /** Permanent move of three quarters of the traffic from one configuration to another. */
  'moved traffic': { expects: 'no page', by: [] },
  /** 40 or 100 % server errors in three of every 15 minutes, for four hours. */
  'crash loop': { expects: 'page', by: ['Edge5xxRatio'] },
  /** Twelve times the usual requests for 20 minutes, at the same time every night. */
  'nightly batch': { expects: 'no page', by: [] },
  /** No requests for four days, on a site with 70 to 150 requests per minute. */
  'small site dies': { expects: 'page', by: ['EdgeTrafficDrop'] },
  /** 0.8 % server errors for the whole history. */
  'errors at all times': { expects: 'ticket', by: ['Edge5xxRatio'] },
  /** Threats at 12 times the usual number for 12 days. */
  'attack of days': { expects: 'page', by: ['EdgeWafSpike'] },
  'attack again': { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeUsualIsHigh'] },
  /** Threats that grow over six hours to 6 or 10 times the usual number, and stay there for two hours. */
  'ramp over 6 hours': { expects: 'page', by: ['EdgeWafSpike'] },
  'ramp to 32 times': { expects: 'page', by: ['EdgeWafSpike'] },
  /** Less than 5 % of the traffic for at least an hour, between the second and the seventh day. */
  'drop in the first week': { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  /**
   * Less than 12 % of the traffic for 20 minutes to 4 hours, on a site with at least 40 requests per minute
   * at that hour.
   */
  'drop on a real day': { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  'errors, 30 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'errors, 10 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'errors, 5 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'errors, 2 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'attack beside a failure': { expects: 'page', by: ['EdgeWafSpike'] },
  'failure beside an attack': { expects: 'page', by: ['Edge5xxRatio'] },
  /** 6 to 11 times the usual requests for hours, on a site with few requests. */
  'small flood': { expects: 'no page', by: [] },
  /** New configuration with many requests from its start. */
  launch: { expects: 'no page', by: [] },
  'blue-green move': { expects: 'no page', by: [] },
  /** 20 to 60 % server errors, with three to six times the usual requests. */
  'retry storm': { expects: 'page', by: ['Edge5xxRatio', 'EdgeTrafficFlood'] },
  /** Loss of 30 or 50 % of the traffic for three hours. */
  'partial loss': { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  /** 60 to 100 % server errors for 30 minutes to 3 hours, on a site with 1 to 60 requests per minute. */
  'small site fails': { expects: 'page', by: ['Edge5xxRatio'] },
  /** Rule set that changes from counting to blocking, or that detects four to eight times as many threats. */
  'rule set switch': { expects: 'ticket', by: ['EdgeRuleSetSwitched'] },
  /** Attack for the first 12 days of the history. */
  'attack from the start': { expects: 'no page', by: [] },
  /** 12 to 30 responses per minute with status 401 for 8 hours, or 100 with status 429 for one hour. */
  'slow stuffing': { expects: 'ticket', by: ['EdgeStatusCodeSurge', 'Edge4xxRatio'] },
  'nightly maintenance': { expects: 'page', by: ['Edge5xxRatio'] },
} as const satisfies Readonly<Record<string, Expectation>>;

export type EventKind = keyof typeof EVENT_KINDS;

export interface Expectation {
  readonly expects: 'page' | 'ticket' | 'no page';
  /** Alerts that report the event. Other alerts may fire during it, but do not count as its report. */
  readonly by: readonly string[];
}
