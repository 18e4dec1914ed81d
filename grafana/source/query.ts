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
 * Each series of traffic once, though several exporters poll the account, or the account has just moved from one replica
 * to another: what they show of it is the same, and a sum must not have it twice.
 */
export function once(expression: string, labels: string): string {
  return largest(expression, labels);
}

/** A gauge of traffic as it stands, each series once. */
export function now(family: string, ...matchers: string[]): string {
  return once(of(family, ...matchers), identity(family));
}

/** The same at the end of a graph's time range. */
export function atEnd(family: string, ...matchers: string[]): string {
  return once(`${of(family, ...matchers)} @ end()`, identity(family));
}

/** The mean of a gauge over a graph's step, each series once, so that zooming out averages buckets instead of skipping them. */
export function mean(family: string, ...matchers: string[]): string {
  return once(`avg_over_time(${of(family, ...matchers)}[$__rate_interval])`, identity(family));
}

/**
 * By how much a counter of traffic grew within the time range. What several exporters saw of it is added up and divided by
 * how many of them showed it on average: an account that moved from one replica to another grew in the one, then in the
 * other; one that two exporters poll grew in both.
 */
export function growth(family: string, ...matchers: string[]): string {
  const series = of(family, ...matchers);
  const by = identity(family);
  const shownBy = `avg_over_time(count by (${by}) (${series})[$__range:1m])`;
  return `${sum(`increase(${series}[$__range])`, by)} / ${shownBy}`;
}

/** The same as `mean`, so long before: `1d`, `1w`. */
export function meanBefore(before: string, family: string, ...matchers: string[]): string {
  return once(
    `avg_over_time(${of(family, ...matchers)}[$__rate_interval] offset ${before})`,
    identity(family),
  );
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
