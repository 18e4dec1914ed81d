import { ALERTS, type AlertName } from './alert-catalogue.ts';
import type { Matcher } from './promql.ts';
import { LINKS, type Links, type Severity } from './rule.ts';
import { DAY } from './times.ts';

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

/** A time of each day (ms after midnight, UTC) at which up to so many times the usual is usual as well. */
export interface AcceptedHours {
  readonly where: Selection;
  readonly start: number;
  readonly length: number;
  readonly times: number;
}

/** What an alerts file says. */
export interface AlertSettings {
  readonly links: Links;
  /** After how long a level that has changed is taken for usual: milliseconds. */
  readonly acceptAfter: number;
  /** Levels that are usual from a moment (ms since the epoch) on. */
  readonly accepted: readonly { readonly where: Selection; readonly from: number }[];
  /** What recurs at its hour. */
  readonly acceptedHours: readonly AcceptedHours[];
  readonly alerts: AlertChoices;
  /** Of those that apply, the first that says something of a value holds. */
  readonly overrides: readonly { readonly where: Selection; readonly alerts: AlertChoices }[];
}

/** The settings as they are shipped. */
export const SHIPPED: AlertSettings = {
  links: LINKS,
  acceptAfter: 2 * DAY,
  accepted: [],
  acceptedHours: [],
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

/** Whether series of these labels can be told by what a selection goes by. */
export function applies(where: Selection, labels: readonly string[]): boolean {
  return Object.keys(namesByLabel(where)).every((label) => labels.includes(label));
}

/** A selection as matchers. */
export function matchersOf(where: Selection): readonly Matcher[] {
  return Object.entries(namesByLabel(where)).map(([label, names]) => matcher(label, names));
}

function namesByLabel({ accounts, products, configurations }: Selection) {
  return {
    ...(accounts && { account: accounts }),
    ...(products && { product: products }),
    ...(configurations && { configuration: configurations }),
  };
}

function matcher(label: string, names: readonly string[]): Matcher {
  const [only] = names;
  if (names.length === 1 && only !== undefined && !/[*?{]/.test(only)) {
    return { label, operator: '=', value: only };
  }
  return { label, operator: '=~', value: names.map(pattern).join('|') };
}

/** A glob as a regular expression of RE2, which Prometheus anchors. */
function pattern(glob: string): string {
  return glob.replaceAll(/[.+^$|()[\]\\*?{},]/g, (character) => TRANSLATED[character] ?? `\\${character}`);
}

const TRANSLATED: Readonly<Record<string, string>> = { '*': '.*', '?': '.', '{': '(?:', '}': ')', ',': '|' };

/** What keeps a name from being a pattern, if anything. */
export function globMistake(glob: string): string | undefined {
  const depths = [...glob].map((character) => ({ '{': 1, '}': -1 })[character] ?? 0);
  let depth = 0;
  const balanced = depths.every((change) => {
    depth += change;
    return depth === 0 || depth === 1;
  });
  if (!balanced || depth !== 0) return 'expected braces that are closed and not nested: "{shop,blog}-*"';
  return /[[\]!()]/.test(glob) ? 'only *, ? and {a,b} stand for other characters' : undefined;
}
