/** The permissions that operations require (specification section 5). */
export const PERMISSIONS = [
  'View Domains',
  'Edit Domains',
  'View Security Settings',
  'Edit Security Settings',
  'Purge',
  'View Edge Functions',
  'Edit Edge Functions',
  'View Edge Firewall',
  'Edit Edge Firewall',
  'View Intelligent DNS',
  'Edit Intelligent DNS',
  'View Network Lists',
  'Edit Network Lists',
  'Analytics',
  'View Content Delivery',
  'Edit Content Delivery',
] as const;

export type Permission = (typeof PERMISSIONS)[number];
