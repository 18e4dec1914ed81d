/** Colours by meaning. Each colour has the same meaning in all dashboards. */
export const COLOURS = {
  good: 'green',
  notice: 'yellow',
  warning: 'orange',
  bad: 'red',
  neutral: 'blue',
  past: '#7b8087',
} as const;

/** Colours of series, by legend. */
export const SERIES_COLOURS: Readonly<Record<string, string>> = {
  'from the cache': 'green',
  'from the origin': 'orange',
  HTTPS: 'blue',
  HTTP: 'purple',
  total: 'blue',
  detected: 'orange',
  stopped: 'green',
  'let through': 'red',
  inspected: 'blue',
  'SQL injection': 'red',
  'cross-site scripting': 'orange',
  'remote file inclusion': 'purple',
  'other attacks': 'yellow',
  '4xx': 'yellow',
  '5xx': 'red',
  now: 'blue',
  'a day before': COLOURS.past,
  'a week before': '#4f555d',
};
