import { Collection } from './collection.ts';
import type { Application, Certificate, Domain, EdgeFunction, ErrorResponses, Workload } from './delivery.ts';
import type { Firewall, FirewallRuleset, NetworkList, WafRuleset } from './security.ts';
import type { DnsRecord, OtherConfiguration, Zone } from './service-configurations.ts';

/** Everything the account owns. The API and tests change it through the same collections. */
export interface Account {
  readonly domains: Collection<Domain>;
  readonly certificates: Collection<Certificate>;
  readonly applications: Collection<Application>;
  readonly functions: Collection<EdgeFunction>;
  readonly firewalls: Collection<Firewall>;
  readonly firewallRulesets: Collection<FirewallRuleset>;
  readonly wafRulesets: Collection<WafRuleset>;
  readonly networkLists: Collection<NetworkList>;
  readonly zones: Collection<Zone>;
  readonly records: Collection<DnsRecord>;
  readonly workloads: Collection<Workload>;
  readonly otherConfigurations: Collection<OtherConfiguration>;
  /** By the id of their content delivery configuration; those never set have the defaults. */
  readonly errorResponses: Collection<ErrorResponses>;
}

/**
 * An account without anything; ids start where the platform's own seem to.
 * @param changed called after every change of what traffic depends on
 */
export function emptyAccount(changed: () => void): Account {
  return {
    domains: new Collection<Domain>(1_536_580_016, changed),
    certificates: new Collection<Certificate>(14),
    applications: new Collection<Application>(1_528_990_720, changed),
    functions: new Collection<EdgeFunction>(4184, changed),
    firewalls: new Collection<Firewall>(200),
    firewallRulesets: new Collection<FirewallRuleset>(534),
    wafRulesets: new Collection<WafRuleset>(3),
    networkLists: new Collection<NetworkList>(1009),
    zones: new Collection<Zone>(40_960, changed),
    records: new Collection<DnsRecord>(90_000),
    workloads: new Collection<Workload>(1_720_000_000),
    otherConfigurations: new Collection<OtherConfiguration>(1_610_000_000, changed),
    errorResponses: new Collection<ErrorResponses>(1),
  };
}
