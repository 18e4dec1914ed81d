import { ALERTS, type AlertName, type ParameterOf } from './alert-catalogue.ts';
import { type Matcher, merged, selector } from './promql.ts';
import { LINKS, type Links, type Severity } from './rule.ts';
import { DAY } from './times.ts';

/** Settings for one alert; others keep their default. */
export interface AlertChoice {
  readonly enabled?: boolean | undefined;
  /** Severity that replaces the alert's highest severity, and limits its other forms; undefined for the default. */
  readonly severity?: Severity | undefined;
  /** Parameters by name; durations in milliseconds. */
  readonly values: Readonly<Record<string, number>>;
}

export type AlertChoices = Readonly<Partial<Record<AlertName, AlertChoice>>>;

/** Names of accounts, products and configurations, with `*`, `?` and `{a,b}`; a missing list selects all. */
export interface Selection {
  readonly accounts?: readonly string[] | undefined;
  readonly products?: readonly string[] | undefined;
  readonly configurations?: readonly string[] | undefined;
}

/** Content of an alerts file. */
export interface AlertSettings {
  readonly links: Links;
  /** Time (ms) after which a changed level becomes the baseline. */
  readonly acceptAfter: number;
  /** Levels that operators accepted as normal, each from a time (ms since the epoch) on. */
  readonly accepted: readonly { readonly where: Selection; readonly from: number }[];
  readonly alerts: AlertChoices;
  /** Overrides in order of precedence: the first one that applies and has a value counts. */
  readonly overrides: readonly { readonly where: Selection; readonly alerts: AlertChoices }[];
}

/** Shipped settings. */
export const SHIPPED: AlertSettings = {
  links: LINKS,
  acceptAfter: 2 * DAY,
  accepted: [],
  alerts: {},
  overrides: [],
};

function shippedValue(alert: AlertName, parameter: string): number {
  const parameters: Readonly<Record<string, { readonly default: number }>> = ALERTS[alert].parameters;
  const found = parameters[parameter];
  if (found === undefined) throw new Error(`${alert} has no parameter ${parameter}`);
  return found.default;
}

/** Returns true if series with these labels have all labels of a selection. */
export function applies(where: Selection, labels: readonly string[]): boolean {
  return labelsNamed(where).every((label) => labels.includes(label));
}

/** Returns the names of the labels that a selection uses. */
export function labelsNamed(where: Selection): readonly string[] {
  return Object.keys(namesByLabel(where));
}

/** Returns the matchers of a selection. */
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

/** Returns a glob as a regular expression of RE2, which Prometheus anchors. */
function pattern(glob: string): string {
  return glob.replaceAll(/[.+^$|()[\]\\*?{},]/g, (character) => TRANSLATED[character] ?? `\\${character}`);
}

const TRANSLATED: Readonly<Record<string, string>> = { '*': '.*', '?': '.', '{': '(?:', '}': ')', ',': '|' };

/** Returns the mistake of a pattern; undefined if it is valid. */
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

/** Series that a rule evaluates. A parameter with overrides has one value per series. */
export interface Judged {
  readonly series: string;
  readonly matchers?: readonly Matcher[];
  /** Labels of the series that selections can use. */
  readonly labels: readonly string[];
  /** Labels that remain after aggregation; undefined if the rule does not compare an aggregation. */
  readonly by?: readonly string[];
}

/** One form of an alert: its severity and the series that it applies to. */
export interface Form {
  readonly severity: Severity;
  /** Selection of the form; undefined if it applies to all remaining series. */
  readonly where: Selection | undefined;
  /** Selections of earlier forms, which this form excludes. */
  readonly except: readonly Selection[];
}

const GRAVITY: readonly Severity[] = ['info', 'ticket', 'page'];

/** Parameters and forms of alerts, as an alerts file sets them. */
export class Tuning {
  readonly settings: AlertSettings;

  constructor(settings: AlertSettings) {
    this.settings = settings;
  }

  /** Returns the parameter without overrides; durations in milliseconds. */
  usual<Name extends AlertName>(alert: Name, parameter: ParameterOf<Name>): number {
    return this.settings.alerts[alert]?.values[parameter] ?? shippedValue(alert, parameter);
  }

  /** Returns the smallest value of the parameter. */
  least<Name extends AlertName>(alert: Name, parameter: ParameterOf<Name>): number {
    const chosen = this.settings.overrides.flatMap(({ alerts }) => alerts[alert]?.values[parameter] ?? []);
    return Math.min(this.usual(alert, parameter), ...chosen);
  }

  /** Returns the parameter as PromQL: a number, or one value per evaluated series if overrides differ. */
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

  /** Returns the forms of a rule that is shipped as `severity`, in the order in which they select series. */
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

/** Returns the evaluated series of a selection, or all. */
export function selected({ series, matchers = [] }: Judged, where: Selection = {}): string {
  return selector(series, [...matchers, ...matchersOf(where)]);
}

/** Returns the evaluated series of a selection, with the labels of the comparison. */
function valued(judged: Judged, where?: Selection): string {
  const series = selected(judged, where);
  if (judged.by !== undefined) return `max by (${judged.by.join(', ')}) (${series})`;
  // Several targets may expose a scraped series. Recorded ones are merged already.
  return judged.series.includes(':') ? series : merged(series);
}

function isDuration(alert: AlertName, parameter: string): boolean {
  const parameters: Readonly<Record<string, { readonly kind: string }>> = ALERTS[alert].parameters;
  return parameters[parameter]?.kind === 'duration';
}

/** Returns the severity of a rule that is shipped as `severity`; undefined if the alert is disabled. */
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
