import { describe, expect, it } from 'vitest';
import { familyHeader } from '../../src/exposition/family-header.ts';

describe('the header of a family', () => {
  const requests = { name: 'edge_requests_total', type: 'counter', help: 'Requests.' } as const;

  it('names a counter as its samples in the text format', () => {
    expect(familyHeader(requests, 'text')).toBe(
      '# HELP edge_requests_total Requests.\n# TYPE edge_requests_total counter\n',
    );
  });

  it('names a counter without its suffix in OpenMetrics', () => {
    expect(familyHeader(requests, 'openmetrics')).toBe(
      '# HELP edge_requests Requests.\n# TYPE edge_requests counter\n',
    );
  });

  it('declares a counter without the suffix of unknown type in OpenMetrics, which has no such counters', () => {
    const family = { name: 'edge_odd', type: 'counter', help: 'Odd.' } as const;
    expect(familyHeader(family, 'openmetrics')).toContain('# TYPE edge_odd unknown\n');
    expect(familyHeader(family, 'text')).toContain('# TYPE edge_odd counter\n');
  });

  it('leaves the name of a gauge alone, suffix or not', () => {
    const family = { name: 'edge_handles_total', type: 'gauge', help: 'Open.' } as const;
    expect(familyHeader(family, 'openmetrics')).toContain('# TYPE edge_handles_total gauge\n');
  });

  it('escapes the help as each format wants it', () => {
    const family = { name: 'edge_x', type: 'gauge', help: 'A "b"\\c\nd\ud800' } as const;
    expect(familyHeader(family, 'text')).toContain('# HELP edge_x A "b"\\\\c\\nd\ufffd\n');
    expect(familyHeader(family, 'openmetrics')).toContain('# HELP edge_x A \\"b\\"\\\\c\\nd\ufffd\n');
  });
});
