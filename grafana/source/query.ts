/** The matchers of the variables, from the widest choice to the narrowest. */
export const ACCOUNT = 'account=~"$account"';
export const PRODUCT = `${ACCOUNT},product=~"$product"`;
export const SITE = `${PRODUCT},configuration=~"$configuration"`;
/** A site in the families of products that go with it, whatever product is chosen. */
export const NAMESAKE = `${ACCOUNT},configuration=~"$configuration"`;
/** Of an exporter, whatever accounts it polls. */
export const EXPORTER = 'job=~"$job",instance=~"$instance"';
/** Of an exporter, for the accounts chosen. */
export const EXPORTED = `${EXPORTER},${ACCOUNT}`;

/** What a configuration is known by: several ids (those of its domains) may have its name. */
export const BY_SITE = 'account,product,configuration';

/** A selector; `matchers` are joined by commas. */
export function of(family: string, ...matchers: string[]): string {
  return `${family}{${matchers.join(',')}}`;
}

/** The mean of a gauge over a graph's step, so that zooming out averages buckets instead of skipping them. */
export function mean(family: string, ...matchers: string[]): string {
  return `avg_over_time(${of(family, ...matchers)}[$__rate_interval])`;
}

/** The same as `mean`, so long before: `1d`, `1w`. */
export function meanBefore(before: string, family: string, ...matchers: string[]): string {
  return `avg_over_time(${of(family, ...matchers)}[$__rate_interval] offset ${before})`;
}

/** The legend of what is estimated. */
export const ESTIMATE = 'newest minute, estimated';

/**
 * The sum with what the newest minute is estimated to come to, minutes before it is complete. Of series that have no
 * estimate the complete minute stands in; where there is no estimate at all, there is no line.
 */
export function estimated(stem: string, matchers: string): string {
  const estimate = mean(`${stem}_expected_per_minute`, matchers);
  return `${sum(`${estimate} or ${mean(`${stem}_per_minute`, matchers)}`)} and on () ${sum(estimate)}`;
}

/** Increase of a counter per second. */
export function rate(family: string, ...matchers: string[]): string {
  return `rate(${of(family, ...matchers)}[$__rate_interval])`;
}

/** The sum of all, or by labels. */
export function sum(expression: string, by?: string): string {
  return by === undefined ? `sum(${expression})` : `sum by (${by}) (${expression})`;
}

/** The largest of all, or by labels. */
export function largest(expression: string, by?: string): string {
  return by === undefined ? `max(${expression})` : `max by (${by}) (${expression})`;
}

/** The smallest of all, or by labels. */
export function smallest(expression: string, by?: string): string {
  return by === undefined ? `min(${expression})` : `min by (${by}) (${expression})`;
}

/** A share; there is none while there is nothing to share. */
export function share(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/** The highest at each moment: with hundreds of configurations a graph stays readable. */
export function highest(count: number, expression: string): string {
  return `topk(${count}, ${expression})`;
}
