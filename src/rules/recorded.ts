import type { Measure, Scope } from './measures.ts';
import { duration } from './promql.ts';
import type { Times } from './times.ts';

/** The names of a measure's recorded series. */
export function recorded(scope: Scope, { name }: Pick<Measure, 'name'>) {
  const series = (operation: string): string => `${scope}:${name}:${operation}`;
  return {
    /** What it is in this minute. */
    value: series(name.endsWith('_ratio') ? 'now' : 'sum'),
    /** What a minute must be above: the threshold, or, in a spike, that with which it began. */
    limit: series('limit'),
    /** 1 in minutes above the limit, otherwise 0. */
    above: series('above'),
    /** A lower bound of what it is in a minute that is not published yet, and 1 where that is above the limit. */
    atLeast: series('at_least'),
    certain: series('certain'),
    /** 1 in a spike, otherwise 0. */
    active: series('active'),
    /** 1 while there is far too little, otherwise 0. */
    fallen: series('fallen'),
    /** When the abnormal that there is began; there only while there is some. */
    since: series('since'),
    /** There in minutes whose level, long abnormal, is taken for usual. */
    accepted: series('accepted'),
    /** What it is in this minute, and in an abnormal one what is usual at this hour. */
    normal: series('normal'),
    /** The mean of the normal minutes of the last hour. */
    hourly: series('avg1h'),
    /** How much the minutes of the last hour differ, relative to their mean. */
    variation: series('variation1h'),
    /** What is usual at this hour. */
    seasonal: series('seasonal'),
    /** The last hour relative to what was usual in it. */
    drift: series('drift1h'),
    /** What is usual at this hour and by the last day. */
    usual: series('usual'),
    /** What is too much, what is still ordinary, and what is too little. */
    threshold: series('threshold'),
    ordinary: series('ordinary'),
    lower: series('lower_threshold'),
    /** What is too little where there is no last week to compare with. */
    lowest: series('lowest_threshold'),
  };
}

export type Recorded = ReturnType<typeof recorded>;

/** The newest sample of a series that is recorded every few minutes, wherever Prometheus is between two of them. */
export function latest(series: string, { baseline }: Times): string {
  return `last_over_time(${series}[${duration(2.5 * baseline)}])`;
}
