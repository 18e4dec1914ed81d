import { MappingType, type ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';

function words(options: Readonly<Record<string, string>>): readonly ValueMapping[] {
  const texts = Object.entries(options).map(([value, text], index) => [value, { text, index }]);
  return [{ type: MappingType.ValueToText, options: Object.fromEntries(texts) }];
}

/** Value mappings of 1 and 0. */
export const YES_NO = words({ 0: 'no', 1: 'yes' });
export const ON_OFF = words({ 0: 'off', 1: 'on' });
export const LOADED = words({ 0: 'refused', 1: 'loaded' });
export const KEPT = words({ 0: 'withheld', 1: 'on disk' });
export const UP_DOWN = words({ 0: 'down', 1: 'up' });
/** Value mappings of a trouble's urgency. */
export const URGENCY = words({ 0: 'just wait', 1: 'soon', 2: 'now' });
export const WAF_MODES = words({ 0: 'counting', 1: 'blocking' });
