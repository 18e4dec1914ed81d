/** The matchers of the variables, from the widest choice to the narrowest. */
export const ACCOUNT = 'account=~"$account"';
export const PRODUCT = `${ACCOUNT},product=~"$product"`;
export const SITE = `${PRODUCT},configuration=~"$configuration"`;
/** Selector of a site in the families of related products, for any selected product. */
export const NAMESAKE = `${ACCOUNT},configuration=~"$configuration"`;
/** Selector of an exporter, for all accounts. */
export const EXPORTER = 'job=~"$job",instance=~"$instance"';
/** Selector of an exporter, for the selected accounts. */
export const EXPORTED = `${EXPORTER},${ACCOUNT}`;

/** Labels that identify a configuration. Several ids (of its domains) may have its name. */
export const BY_SITE = 'account,product,configuration';

/** Returns a selector. It joins `matchers` with commas. */
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
 * Selects each series of traffic once. If several exporters poll an account, or it has just moved to another replica,
 * their series are equal, and a sum must not count them twice.
 */
export function once(expression: string, labels: string): string {
  return largest(expression, labels);
}

/** Returns the current value of a gauge of traffic, each series once. */
export function now(family: string, ...matchers: string[]): string {
  return once(of(family, ...matchers), identity(family));
}

/** Returns the value at the end of the graph's time range. */
export function atEnd(family: string, ...matchers: string[]): string {
  return once(`${of(family, ...matchers)} @ end()`, identity(family));
}

/** The mean of a gauge over a graph's step, each series once, so that zooming out averages buckets instead of skipping them. */
export function mean(family: string, ...matchers: string[]): string {
  return once(`avg_over_time(${of(family, ...matchers)}[$__rate_interval])`, identity(family));
}

/**
 * Returns the increase of a counter of traffic within the time range. It adds up the increases of all exporters, and
 * divides by the average number of exporters that show it. So it is right for an account that moves between replicas,
 * and for one that two exporters poll.
 */
export function growth(family: string, ...matchers: string[]): string {
  const series = of(family, ...matchers);
  const by = identity(family);
  const shownBy = `avg_over_time(count by (${by}) (${series})[$__range:1m])`;
  return `${sum(`increase(${series}[$__range])`, by)} / ${shownBy}`;
}

/** Returns `mean` of an earlier time: `1d`, `1w`. */
export function meanBefore(before: string, family: string, ...matchers: string[]): string {
  return once(
    `avg_over_time(${of(family, ...matchers)}[$__rate_interval] offset ${before})`,
    identity(family),
  );
}

/** Legend of estimates. */
export const ESTIMATE = 'newest minute, estimated';

/**
 * Returns the sum with the estimated final value of the newest minute. Series without an estimate contribute their
 * complete minute. Without any estimate there is no line.
 */
export function estimated(stem: string, matchers: string): string {
  const estimate = mean(`${stem}_expected_per_minute`, matchers);
  return `${sum(`${estimate} or ${mean(`${stem}_per_minute`, matchers)}`)} and on () ${sum(estimate)}`;
}

/** Increase of a counter per second. */
export function rate(family: string, ...matchers: string[]): string {
  return `rate(${of(family, ...matchers)}[$__rate_interval])`;
}

/** Returns the sum, in total or by labels. */
export function sum(expression: string, by?: string): string {
  return by === undefined ? `sum(${expression})` : `sum by (${by}) (${expression})`;
}

/** Returns the largest value, in total or by labels. */
export function largest(expression: string, by?: string): string {
  return by === undefined ? `max(${expression})` : `max by (${by}) (${expression})`;
}

/** Returns the smallest value, in total or by labels. */
export function smallest(expression: string, by?: string): string {
  return by === undefined ? `min(${expression})` : `min by (${by}) (${expression})`;
}

/** Returns a share; without samples if the whole is zero. */
export function share(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/** The highest at each moment: with hundreds of configurations a graph stays readable. */
export function highest(count: number, expression: string): string {
  return `topk(${count}, ${expression})`;
}
