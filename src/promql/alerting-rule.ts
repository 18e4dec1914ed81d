import { parseDuration } from '../configuration/prometheus-duration.ts';
import { AlertState, type AlertTiming } from './alert-states.ts';
import { vector } from './compile.ts';
import type { Alert, EvaluationObserver } from './evaluation-observer.ts';
import type { Expression } from './expression.ts';
import { keyOf, type Labels } from './labels.ts';
import { parse } from './parse.ts';
import type { GroupRule } from './rule-group.ts';
import type { Tables } from './sample-table.ts';

/** A rule as it is written in a file. */
export type WrittenAlertingRule = Extract<GroupRule, { alert: string }>;

interface FollowedAlert extends Alert {
  readonly state: AlertState;
}

/** How long the alerts of a rule must hold, and how long they outlive their condition. */
export function timingOf({ for: hold, keep_firing_for: kept }: WrittenAlertingRule): AlertTiming {
  const duration = (text: string | undefined): number =>
    text === undefined ? 0 : (parseDuration(text) ?? 0);
  return { hold: duration(hold), keepFiring: duration(kept) };
}

/** The labels of a rule's alert about an element of its expression. */
export function labelsOfAlert({ alert, labels }: WrittenAlertingRule, element: Labels): Labels {
  const own = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { ...element, ...Object.fromEntries(own), alertname: alert };
}

/** A rule with one alert for each element of its expression. */
export class AlertingRule {
  /** Milliseconds between two evaluations. */
  readonly interval: number;
  readonly #rule: WrittenAlertingRule;
  readonly #expression: Expression;
  /** By the labels of the elements. */
  readonly #alerts = new Map<string, FollowedAlert>();

  /** @throws {ExpressionError} */
  constructor(rule: WrittenAlertingRule, interval: number) {
    this.interval = interval;
    this.#rule = rule;
    this.#expression = parse(rule.expr);
  }

  /** What evaluates it at a moment. @throws {UnsupportedExpression} */
  compile(tables: Tables, observer: EvaluationObserver): (moment: number) => void {
    const { labels, at } = vector(this.#expression, tables);
    const alerts = labels.map((set) => this.#alertOf(set));
    return (moment) => {
      const found = at(moment);
      for (let index = 0; index < alerts.length; index++) {
        const alert = alerts[index] as FollowedAlert;
        const value = found[index] as number;
        const ended = alert.state.evaluate(moment, !Number.isNaN(value));
        if (alert.state.firingSince !== undefined) observer.firing?.(alert, moment, value);
        if (ended !== undefined) observer.fired?.(alert, ended, false);
      }
    };
  }

  /** Tells the observer of the alerts that fire on when the evaluation ends. */
  end(now: number, observer: EvaluationObserver): void {
    for (const alert of this.#alerts.values()) {
      const from = alert.state.firingSince;
      if (from !== undefined) observer.fired?.(alert, { from, to: now }, true);
    }
  }

  #alertOf(element: Labels): FollowedAlert {
    const key = keyOf(element);
    const alert = this.#alerts.get(key) ?? {
      labels: labelsOfAlert(this.#rule, element),
      state: new AlertState(timingOf(this.#rule)),
    };
    this.#alerts.set(key, alert);
    return alert;
  }
}
