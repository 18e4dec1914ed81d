/** DNS, and products without a resource of their own; the fields are those of section 2. */

export interface Zone {
  readonly id: number;
  name: string;
  domain: string;
  is_active: boolean;
  readonly nameservers: string[];
  readonly expiry: number;
  readonly nx_ttl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly soa_ttl: number;
}

export interface DnsRecord {
  readonly id: number;
  readonly zone_id: number;
  record_type: string;
  entry: string;
  answers_list: string[];
  ttl: number;
}

/** A configuration of a product that the API has no resource for, such as a data stream. */
export interface OtherConfiguration {
  readonly id: number;
  readonly kind: 'streams' | 'channels' | 'buckets';
  name: string;
  active: boolean;
}
