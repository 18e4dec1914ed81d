/**
 * Value at every minute of the case, or a function of the minute. `absent` stands for a series that has
 * ended.
 */
export type Value = number | 'absent' | ((minute: number) => number);

/** Values of series by text, `name{label="value"}`. */
export type Given = Readonly<Record<string, Value>>;

/** Input of an alert: a normal time, a bad time, and a normal time again. */
export interface AlertCase {
  readonly alert: string;
  /** Matchers of the expected alert, if several alerts have its name. */
  readonly which?: string;
  readonly normal: Given;
  readonly bad: Given;
  readonly mild: Given;
  /** Minutes of the bad time. The alert must fire at its end. */
  readonly lasts: number;
  /** Minutes after the bad time within which the alert must end. */
  readonly resolves: number;
  readonly missing?: 'quiet' | 'fires';
}

/** Minutes of the normal time before the bad time. */
export const BEFORE = 150;

/** Matcher for the account of the series in the cases. */
export const ACCOUNT = 'account="production"';

type Times = Pick<AlertCase, 'normal' | 'bad' | 'mild'>;

/** Returns a series with its values at normal, bad and mild times. */
export function one(series: string, values: readonly [normal: Value, bad: Value, mild: Value]): Times {
  const [normal, bad, mild] = values.map((value) => ({ [series]: value }));
  return { normal: normal ?? {}, bad: bad ?? {}, mild: mild ?? {} };
}

/** Returns a counter that increases only for `minutes` of a bad or mild time. */
export function grown(
  series: string,
  [bad, mild]: readonly [bad: number, mild: number],
  minutes: number,
): Times {
  const by = (rate: number) => ({
    [series]: (minute: number) => Math.round(rate * Math.min(Math.max(0, minute - BEFORE), minutes)),
  });
  return { normal: by(bad), bad: by(bad), mild: by(mild) };
}

interface Look {
  readonly minute: number;
  readonly firing: boolean;
}

interface PromtoolTest {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly promql_expr_test: readonly object[];
}

interface Showing {
  readonly name: string;
  readonly given: AlertCase;
  readonly between: Given | undefined;
  readonly looks: readonly Look[];
}

function showings(given: AlertCase): readonly Showing[] {
  const { bad, mild, lasts, resolves, missing = 'quiet' } = given;
  const end = BEFORE + lasts;
  return [
    {
      name: 'fires, and resolves',
      given,
      between: bad,
      looks: [
        { minute: BEFORE - 1, firing: false },
        { minute: end - 1, firing: true },
        { minute: end + resolves, firing: false },
      ],
    },
    {
      name: 'keeps quiet below its limits',
      given,
      between: mild,
      looks: [{ minute: end - 1, firing: false }],
    },
    {
      name: `${missing === 'quiet' ? 'keeps quiet' : 'fires'} when data is missing`,
      given,
      between: undefined,
      looks: [5, lasts - 1].map((minute) => ({
        minute: BEFORE + minute,
        firing: missing === 'fires' && minute > 5,
      })),
    },
  ];
}

/**
 * Returns the tests of an alert's cases. Cases with an account share one evaluation, because the number of
 * evaluations determines the cost.
 */
export function promtoolTests(cases: readonly AlertCase[]): readonly PromtoolTest[] {
  const all = cases.flatMap(showings);
  const apart = all.filter(({ given }) => !hasAccount(given));
  const together = all.filter(({ given }) => hasAccount(given));
  return [...(together.length > 0 ? [testOf(together)] : []), ...apart.map((showing) => testOf([showing]))];
}

function hasAccount(given: AlertCase): boolean {
  return seriesOf(given).every((series) => series.includes(ACCOUNT));
}

function seriesOf({ normal, bad, mild }: AlertCase): readonly string[] {
  return [...new Set([normal, bad, mild].flatMap((series) => Object.keys(series)))];
}

function testOf(shown: readonly Showing[]): PromtoolTest {
  const own = (text: string, index: number): string =>
    shown.length === 1 ? text : text.replaceAll(ACCOUNT, `account="production-${index}"`);
  return {
    name: shown.map(({ name, given: { alert, which = '' } }) => `${alert} ${which} ${name}`).join('; '),
    interval: '1m',
    input_series: shown.flatMap((showing, index) =>
      inputs(showing).map(({ series, values }) => ({ series: own(series, index), values })),
    ),
    promql_expr_test: shown.flatMap(({ given: { alert, which = '' }, looks }, index) => {
      const matchers = [`alertname="${alert}"`, ...(which === '' ? [] : [which])];
      if (shown.length > 1 && !which.includes(ACCOUNT)) matchers.push(ACCOUNT);
      return looks.map((look) => lookAt(own(matchers.join(', '), index), look));
    }),
  };
}

function inputs({ given, between }: Showing): PromtoolTest['input_series'] {
  const { normal, lasts, resolves } = given;
  const length = BEFORE + lasts + resolves + 1;
  return seriesOf(given).map((series) => ({
    series,
    values: Array.from({ length }, (_, minute) => {
      const inside = minute >= BEFORE && minute < BEFORE + lasts;
      if (inside && between === undefined) return '_';
      const value = (inside ? between?.[series] : undefined) ?? normal[series];
      return typeof value === 'function' ? String(value(minute)) : textOf(value);
    }).join(' '),
  }));
}

function textOf(value: number | 'absent' | undefined): string {
  if (value === 'absent') return 'stale';
  return value === undefined ? '_' : String(value);
}

function lookAt(matchers: string, { minute, firing }: Look): object {
  return {
    expr: `count(ALERTS{${matchers}, alertstate="firing"}) > bool 0`,
    eval_time: `${minute}m`,
    exp_samples: firing ? [{ labels: '{}', value: 1 }] : [],
  };
}
