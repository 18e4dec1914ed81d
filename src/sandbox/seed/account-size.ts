/** How large the account is. */
export interface AccountSize {
  /** Edge applications, which are the configurations of content delivery. */
  readonly configurations: number;
  readonly domainsPerConfiguration: number;
  readonly functions: number;
  readonly zones: number;
  readonly recordsPerZone: number;
}

export const DEFAULT_SIZE: AccountSize = {
  configurations: 3,
  domainsPerConfiguration: 2,
  functions: 3,
  zones: 2,
  recordsPerZone: 6,
};
