import { ALERTS, type AlertName, type ParameterOf } from './alert-catalogue.ts';
import { type Matcher, merged, selector } from './promql.ts';
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

/** The settings as they are shipped. */
export const SHIPPED: AlertSettings = {
  links: LINKS,
  acceptAfter: 2 * DAY,
  accepted: [],
  alerts: {},
  overrides: [],
};

/** The default of a parameter. */
function shippedValue(alert: AlertName, parameter: string): number {
  const parameters: Readonly<Record<string, { readonly default: number }>> = ALERTS[alert].parameters;
  const found = parameters[parameter];
  if (found === undefined) throw new Error(`${alert} has no parameter ${parameter}`);
  return found.default;
}

/** Whether series of these labels can be told by what a selection goes by. */
export function applies(where: Selection, labels: readonly string[]): boolean {
  return labelsNamed(where).every((label) => labels.includes(label));
}

/** Returns the labels that a selection goes by. */
export function labelsNamed(where: Selection): readonly string[] {
  return Object.keys(namesByLabel(where));
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

/** Series that a rule judges: one for each value of a parameter that may differ. */
export interface Judged {
  readonly series: string;
  readonly matchers?: readonly Matcher[];
  /** The labels, of those that selections go by, that the series have. */
  readonly labels: readonly string[];
  /** Where the rule compares an aggregation: the labels that are left of the series then. */
  readonly by?: readonly string[];
}

/** One form in which an alert exists: how grave, and of which series. */
export interface Form {
  readonly severity: Severity;
  /** Undefined where it takes all that are left. */
  readonly where: Selection | undefined;
  /** Selections that took theirs before. */
  readonly except: readonly Selection[];
}

const GRAVITY: readonly Severity[] = ['info', 'ticket', 'page'];

/** What an alerts file makes of the rules. */
export class Tuning {
  readonly settings: AlertSettings;

  constructor(settings: AlertSettings) {
    this.settings = settings;
  }

  /** The parameter where nothing overrides it; durations in milliseconds. */
  usual<Name extends AlertName>(alert: Name, parameter: ParameterOf<Name>): number {
    return this.settings.alerts[alert]?.values[parameter] ?? shippedValue(alert, parameter);
  }

  /** The least that the parameter is for any. */
  least<Name extends AlertName>(alert: Name, parameter: ParameterOf<Name>): number {
    const chosen = this.settings.overrides.flatMap(({ alerts }) => alerts[alert]?.values[parameter] ?? []);
    return Math.min(this.usual(alert, parameter), ...chosen);
  }

  /** The parameter as PromQL: a number, or, where overrides differ, a value for each judged series. */
  value<Name extends AlertName>(alert: Name, parameter: ParameterOf<Name>, judged: Judged): string {
    const inUnit = (value: number): number => (isDuration(alert, parameter) ? value / 1_000 : value);
    const usual = inUnit(this.usual(alert, parameter));
    const special = this.settings.overrides.flatMap(({ where, alerts }) => {
      const value = alerts[alert]?.values[parameter];
      return value === undefined || !applies(where, judged.labels) ? [] : [{ where, value: inUnit(value) }];
    });
    if (special.length === 0) return String(usual);
    const ofEach = special.map(({ where, value }) => `0 * ${valued(judged, where)} + ${value}`);
    return `(${[...ofEach, `0 * ${valued(judged)} + ${usual}`].join(' or ')})`;
  }

  /** The forms of a rule that is shipped as `severity`, in the order in which they take series. */
  forms(alert: AlertName, severity: Severity, labels: readonly string[]): readonly Form[] {
    const usual = this.settings.alerts[alert] ?? { values: {} };
    const deciding = this.settings.overrides.flatMap(({ where, alerts }) => {
      const chosen = alerts[alert];
      const decides = chosen?.enabled !== undefined || chosen?.severity !== undefined;
      return decides && applies(where, labels) ? [{ where, chosen }] : [];
    });
    const rest: { where: undefined; chosen: Partial<AlertChoice> } = { where: undefined, chosen: {} };
    const all = [...deciding, rest].map(({ where, chosen }, index) => ({
      where,
      except: deciding.slice(0, index).map((earlier) => earlier.where),
      severity: severityOf(alert, severity, {
        enabled: chosen.enabled ?? usual.enabled,
        severity: chosen.severity ?? usual.severity,
      }),
    }));
    const same = all.every((form) => form.severity === all[0]?.severity);
    const told = same ? all.slice(0, 1).map((form) => ({ ...form, where: undefined })) : all;
    return told.flatMap((form) =>
      form.severity === undefined ? [] : [{ ...form, severity: form.severity }],
    );
  }
}

/** The judged series that a selection takes, or all. */
export function selected({ series, matchers = [] }: Judged, where: Selection = {}): string {
  return selector(series, [...matchers, ...matchersOf(where)]);
}

/** The judged series that a selection takes, with the labels of what is compared. */
function valued(judged: Judged, where?: Selection): string {
  const series = selected(judged, where);
  if (judged.by !== undefined) return `max by (${judged.by.join(', ')}) (${series})`;
  // What is scraped is judged once, however many targets show it; what is recorded is that already.
  return judged.series.includes(':') ? series : merged(series);
}

function isDuration(alert: AlertName, parameter: string): boolean {
  const parameters: Readonly<Record<string, { readonly kind: string }>> = ALERTS[alert].parameters;
  return parameters[parameter]?.kind === 'duration';
}

/** How grave a rule is that is shipped as `severity`; undefined where the alert is switched off. */
function severityOf(
  alert: AlertName,
  severity: Severity,
  { enabled = true, severity: chosen }: Pick<AlertChoice, 'enabled' | 'severity'>,
): Severity | undefined {
  if (!enabled) return undefined;
  if (chosen === undefined || severity === ALERTS[alert].severity) return chosen ?? severity;
  const gravity = Math.min(GRAVITY.indexOf(severity), GRAVITY.indexOf(chosen));
  return GRAVITY[gravity];
}
