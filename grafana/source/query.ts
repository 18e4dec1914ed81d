/** Matchers of the dashboard's variables, from the widest selection to the narrowest. */
export const ACCOUNT = 'account=~"$account"';
export const PRODUCT = `${ACCOUNT},product=~"$product"`;
export const SITE = `${PRODUCT},configuration=~"$configuration"`;
/** Matchers of a configuration's name, for families of products that the variable does not select. */
export const NAMESAKE = `${ACCOUNT},configuration=~"$configuration"`;
/** Matchers of an exporter, for all accounts. */
export const EXPORTER = 'job=~"$job",instance=~"$instance"';
/** Matchers of an exporter, for the selected accounts. */
export const EXPORTED = `${EXPORTER},${ACCOUNT}`;

/** Labels that identify a configuration. Several configuration ids can share its name. */
export const BY_SITE = 'account,product,configuration';

/** Returns a selector of the family with these matchers. */
export function of(family: string, ...matchers: string[]): string {
  return `${family}{${matchers.join(',')}}`;
}

const PARTS: readonly (readonly [families: RegExp, labels: string])[] = [
  [/_by_(cache|scheme|method|family|country|host)_/, '$1'],
  [/^edge_(upstream_)?responses_/, 'class,code'],
  [/_until_timestamp_seconds$/, 'metric'],
  [/^edge_error_response_/, 'code'],
];

function identity(family: string): string {
  const parts = PARTS.flatMap(([families, labels]) => {
    const found = families.exec(family);
    return found === null ? [] : [labels.replace('$1', found[1] ?? '')];
  });
  return ['account,product,configuration_id,configuration', ...parts].join();
}

/**
 * Returns a query that selects each series of traffic once. Several exporters can expose equal series if they
 * poll the same account, or if it has just moved to another replica. A sum must not count them twice.
 */
export function once(expression: string, labels: string): string {
  return largest(expression, labels);
}

/** Returns a query for the current value of a traffic gauge, with each series once. */
export function now(family: string, ...matchers: string[]): string {
  return once(of(family, ...matchers), identity(family));
}

/** Returns a query for the value of a traffic gauge at the end of the graph's time range. */
export function atEnd(family: string, ...matchers: string[]): string {
  return once(`${of(family, ...matchers)} @ end()`, identity(family));
}

/**
 * Returns a query for the mean of a gauge over a graph's step, with each series once. A wide time range then
 * averages buckets instead of skipping them.
 */
export function mean(family: string, ...matchers: string[]): string {
  return once(`avg_over_time(${of(family, ...matchers)}[$__rate_interval])`, identity(family));
}

/**
 * Returns a query for the increase of a traffic counter within the time range. It divides the increases of
 * all exporters by the average number of exporters that expose the series. So it is right for an account that
 * moves between replicas, and for one that two exporters poll.
 */
export function growth(family: string, ...matchers: string[]): string {
  const series = of(family, ...matchers);
  const by = identity(family);
  const shownBy = `avg_over_time(count by (${by}) (${series})[$__range:1m])`;
  return `${sum(`increase(${series}[$__range])`, by)} / ${shownBy}`;
}

/** Returns the query of `mean` with an offset, such as `1d` or `1w`. */
export function meanBefore(before: string, family: string, ...matchers: string[]): string {
  return once(
    `avg_over_time(${of(family, ...matchers)}[$__rate_interval] offset ${before})`,
    identity(family),
  );
}

/** Legend of estimated values. */
export const ESTIMATE = 'newest minute, estimated';

/**
 * Returns a query for the sum with the estimated final value of the newest minute. Series without an estimate
 * contribute their complete minute. If no series has an estimate, the result is empty.
 */
export function estimated(stem: string, matchers: string): string {
  const estimate = mean(`${stem}_expected_per_minute`, matchers);
  return `${sum(`${estimate} or ${mean(`${stem}_per_minute`, matchers)}`)} and on () ${sum(estimate)}`;
}

/** Returns a query for the increase of a counter per second. */
export function rate(family: string, ...matchers: string[]): string {
  return `rate(${of(family, ...matchers)}[$__rate_interval])`;
}

/** Returns a query for the sum, in total or by labels. */
export function sum(expression: string, by?: string): string {
  return by === undefined ? `sum(${expression})` : `sum by (${by}) (${expression})`;
}

/** Returns a query for the largest value, in total or by labels. */
export function largest(expression: string, by?: string): string {
  return by === undefined ? `max(${expression})` : `max by (${by}) (${expression})`;
}

/** Returns a query for the smallest value, in total or by labels. */
export function smallest(expression: string, by?: string): string {
  return by === undefined ? `min(${expression})` : `min by (${by}) (${expression})`;
}

/** Returns a query for a ratio; it has no samples if the whole is zero. */
export function share(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/**
 * Returns a query for the highest values at each moment, so that a graph of hundreds of configurations stays
 * readable.
 */
export function highest(count: number, expression: string): string {
  return `topk(${count}, ${expression})`;
}
