/** A value at every minute of the case, or as a function of it; `absent` as of a series that has ended. */
export type Value = number | 'absent' | ((minute: number) => number);

/** Series by their text, `name{label="value"}`. */
export type Given = Readonly<Record<string, Value>>;

/** What an alert is shown: a normal time, a bad one, and a normal one again. */
export interface AlertCase {
  readonly alert: string;
  /** Matchers of the alert that is meant, where there are several of the name. */
  readonly which?: string;
  readonly normal: Given;
  /** What is otherwise in the bad time; the rest stays as it is. */
  readonly bad: Given;
  /** What is worse than normal, but not bad enough. */
  readonly mild: Given;
  /** Minutes of the bad time, at whose end the alert must fire. */
  readonly lasts: number;
  /** Minutes after the bad time, within which the alert must end. */
  readonly resolves: number;
  /** What the alert does when all series are gone instead. */
  readonly missing?: 'quiet' | 'fires';
}

/** The normal time before. */
export const BEFORE = 150;

/** The account of the series that a case is given. */
export const ACCOUNT = 'account="production"';

type Times = Pick<AlertCase, 'normal' | 'bad' | 'mild'>;

/** One series at normal, bad and mild times. */
export function one(series: string, values: readonly [normal: Value, bad: Value, mild: Value]): Times {
  const [normal, bad, mild] = values.map((value) => ({ [series]: value }));
  return { normal: normal ?? {}, bad: bad ?? {}, mild: mild ?? {} };
}

/** A counter that stands still, but for a bad or mild time of so many minutes, when it grows by so much a minute. */
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

/** A look at the alert in the course of a case. */
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

/** The four tests of a case: it fires and resolves, it keeps quiet, and it bears that data is missing. */
export function promtoolTests(given: AlertCase): readonly PromtoolTest[] {
  const { alert, which = '', bad, mild, lasts, resolves, missing = 'quiet' } = given;
  const end = BEFORE + lasts;
  const tests = [
    {
      name: 'fires, and resolves',
      between: bad,
      looks: [
        { minute: BEFORE - 1, firing: false },
        { minute: end - 1, firing: true },
        { minute: end + resolves, firing: false },
      ],
    },
    { name: 'keeps quiet below its limits', between: mild, looks: [{ minute: end - 1, firing: false }] },
    {
      name: `${missing === 'quiet' ? 'keeps quiet' : 'fires'} when data is missing`,
      between: undefined,
      looks: [5, lasts - 1].map((minute) => ({
        minute: BEFORE + minute,
        firing: missing === 'fires' && minute > 5,
      })),
    },
  ];
  return tests.map(({ name, between, looks }) => ({
    name: `${alert} ${which} ${name}`,
    interval: '1m',
    input_series: inputs(given, between),
    promql_expr_test: looks.map((look) => lookAt(`alertname="${alert}", ${which}`, look)),
  }));
}

function inputs(
  { normal, bad, mild, lasts, resolves }: AlertCase,
  between: Given | undefined,
): PromtoolTest['input_series'] {
  const length = BEFORE + lasts + resolves + 1;
  const names = new Set([normal, bad, mild].flatMap((series) => Object.keys(series)));
  return [...names].map((series) => ({
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
    expr: `count(ALERTS{${matchers}, alertstate="firing"}) > bool 0`.replace(', ,', ','),
    eval_time: `${minute}m`,
    exp_samples: firing ? [{ labels: '{}', value: 1 }] : [],
  };
}
