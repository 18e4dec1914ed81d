import { ALERTS, type AlertName } from './alert-catalogue.ts';
import { LINKS, type Links } from './links.ts';
import type { Severity } from './rule.ts';

/** What is chosen of one alert; what is not named stays as it is. */
export interface AlertChoice {
  readonly enabled?: boolean | undefined;
  /** Of the alert's gravest form; lesser forms are never graver. */
  readonly severity?: Severity | undefined;
  /** Its parameters by name; durations in milliseconds. */
  readonly values: Readonly<Record<string, number>>;
}

export type AlertChoices = Readonly<Partial<Record<AlertName, AlertChoice>>>;

/** Accounts, products and configurations by their names, with `*`, `?` and `{a,b}`; a list that is not there takes all. */
export interface Selection {
  readonly accounts?: readonly string[] | undefined;
  readonly products?: readonly string[] | undefined;
  readonly configurations?: readonly string[] | undefined;
}

/** What an alerts file says. */
export interface AlertSettings {
  readonly links: Links;
  /** After how long a level that has changed is taken for usual: milliseconds. */
  readonly acceptAfter: number;
  /** Levels that are usual from a moment (ms since the epoch) on. */
  readonly accepted: readonly { readonly where: Selection; readonly from: number }[];
  readonly alerts: AlertChoices;
  /** Of those that apply, the first that says something of a value holds. */
  readonly overrides: readonly { readonly where: Selection; readonly alerts: AlertChoices }[];
}

const DAY = 86_400_000;

/** The settings as they are shipped. */
export const SHIPPED: AlertSettings = {
  links: LINKS,
  acceptAfter: 2 * DAY,
  accepted: [],
  alerts: {},
  overrides: [],
};

/** The default of a parameter. */
export function shippedValue(alert: AlertName, parameter: string): number {
  const parameters: Readonly<Record<string, { readonly default: number }>> = ALERTS[alert].parameters;
  const found = parameters[parameter];
  if (found === undefined) throw new Error(`${alert} has no parameter ${parameter}`);
  return found.default;
}
