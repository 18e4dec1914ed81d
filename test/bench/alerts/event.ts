/** Injected event of an account. Times are minutes from the start of its history. */
export interface Event {
  readonly kind: EventKind;
  readonly from: number;
  readonly to: number;
  /** The configurations that it was done to. */
  readonly on: readonly string[];
}

/** Expected alerts of each kind of event, independent of the rules. */
export const EVENT_KINDS = {
  /** Threats at 6 to 100 times the usual, for 10 minutes to 4 hours, of any shape. */
  attack: { expects: 'page', by: ['EdgeWafSpike'] },
  /** A day of threats at 5 or at 8 times the usual. */
  'long attack': { expects: 'page', by: ['EdgeWafSpike'] },
  /** Half an hour at 8 times the usual on the day after a long attack. */
  'attack after a long one': { expects: 'page', by: ['EdgeWafSpike'] },
  'daily attack': { expects: 'page', by: ['EdgeWafSpike'] },
  /** On the first day: half an hour, and half an hour later three times as much. */
  'first day': { expects: 'page', by: ['EdgeWafSpike'] },
  /** 4 of every 15 minutes. */
  pulses: { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeWafFamilyAttack'] },
  /** 4 to 6 minutes above 3,000 a minute. */
  burst: { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeWafFamilyAttack'] },
  /** 401 for 8 to 20 hours. */
  'credential stuffing': { expects: 'ticket', by: ['EdgeStatusCodeSurge', 'Edge4xxRatio'] },
  /** 15 to 30 threats a minute for hours, on a site with almost none. */
  'quiet site': { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeWafFamilyAttack'] },
  /** 5 to 100 % server errors of a site with 30 requests a minute or more, for 15 minutes to 3 hours. */
  failure: { expects: 'page', by: ['Edge5xxRatio'] },
  /** 5 % server errors for 2 to 8 hours. */
  'long failure': { expects: 'page', by: ['Edge5xxRatio'] },
  blip: { expects: 'no page', by: [] },
  /** A site of 1 to 5 requests a minute fails for 1 to 3 hours. */
  'tiny site fails': { expects: 'ticket', by: ['Edge5xxRatio', 'EdgeStatusCodeSurge'] },
  /** Less than 10 % of the traffic for 20 minutes to 4 hours, on a site with at least 60 requests a minute at that hour. */
  drop: { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  /** Four to eight times the visitors, without errors. */
  'flash sale': { expects: 'no page', by: [] },
  /** Three quarters of the traffic of a configuration move to another for good. */
  'moved traffic': { expects: 'no page', by: [] },
  /** Three of every 15 minutes fail, at 40 or at 100 %, for four hours. */
  'crash loop': { expects: 'page', by: ['Edge5xxRatio'] },
  /** Twelve times the requests for 20 minutes, at the same minute every night. */
  'nightly batch': { expects: 'no page', by: [] },
  /** No requests for four days, on a site with 70 to 150 a minute. */
  'small site dies': { expects: 'page', by: ['EdgeTrafficDrop'] },
  /** 0.8 % server errors, always. */
  'errors at all times': { expects: 'ticket', by: ['Edge5xxRatio'] },
  /** Threats at 12 times the usual for 12 days. */
  'attack of days': { expects: 'page', by: ['EdgeWafSpike'] },
  'attack again': { expects: 'ticket', by: ['EdgeWafSpike', 'EdgeWafElevated', 'EdgeUsualIsHigh'] },
  /** Threats that grow over six hours to 6 or 10 times the usual, and stay for two. */
  'ramp over 6 hours': { expects: 'page', by: ['EdgeWafSpike'] },
  'ramp to 32 times': { expects: 'page', by: ['EdgeWafSpike'] },
  /** Less than 5 % of the traffic for at least an hour, between the second and the seventh day. */
  'drop in the first week': { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  /** Less than 12 % of the traffic for 20 minutes to 4 hours, on a site with at least 40 requests a minute at that hour. */
  'drop on a real day': { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  'errors, 30 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'errors, 10 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'errors, 5 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'errors, 2 %': { expects: 'page', by: ['Edge5xxRatio'] },
  'attack beside a failure': { expects: 'page', by: ['EdgeWafSpike'] },
  'failure beside an attack': { expects: 'page', by: ['Edge5xxRatio'] },
  /** 6 to 11 times the requests for hours, of a site with few. */
  'small flood': { expects: 'no page', by: [] },
  /** A new configuration gets many requests at once. */
  launch: { expects: 'no page', by: [] },
  'blue-green move': { expects: 'no page', by: [] },
  /** 20 to 60 % server errors of three to six times the requests. */
  'retry storm': { expects: 'page', by: ['Edge5xxRatio', 'EdgeTrafficFlood'] },
  /** 30 or 50 % of the traffic is lost for three hours. */
  'partial loss': { expects: 'ticket', by: ['EdgeTrafficDrop'] },
  /** 60 to 100 % server errors for half an hour to three, of a site with 1 to 60 requests a minute. */
  'small site fails': { expects: 'page', by: ['Edge5xxRatio'] },
  /** A rule set that counted blocks, or one detects four to eight times as many threats. */
  'rule set switch': { expects: 'ticket', by: ['EdgeRuleSetSwitched'] },
  /** An attack that is on when the history begins, for 12 days. */
  'attack from the start': { expects: 'no page', by: [] },
  /** 12 to 30 responses 401 a minute for 8 hours, or 100 responses 429 a minute for one. */
  'slow stuffing': { expects: 'ticket', by: ['EdgeStatusCodeSurge', 'Edge4xxRatio'] },
  'nightly maintenance': { expects: 'page', by: ['Edge5xxRatio'] },
} as const satisfies Readonly<Record<string, Expectation>>;

export type EventKind = keyof typeof EVENT_KINDS;

export interface Expectation {
  readonly expects: 'page' | 'ticket' | 'no page';
  /** Alerts that report the event. Others may belong to it, but do not count. */
  readonly by: readonly string[];
}
