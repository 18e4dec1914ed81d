import type { Labels } from './family.ts';

/**
 * The labels of a dimension of the status code metric: `404` is `{class: '4xx', code: '404'}`. The platform's `4xx`
 * holds the codes of its class that it does not list by number, not all of them, hence `{class: '4xx', code: 'other'}`:
 * so the dimensions add up to all responses, and those of one class to the class.
 * Undefined when the dimension names no status code.
 */
export function statusCodeLabels(dimension: string): Labels | undefined {
  const match = /^(\d)(\d\d|xx)$/.exec(dimension);
  if (match === null) return undefined;
  return { class: `${match[1]}xx`, code: match[2] === 'xx' ? 'other' : dimension };
}
