import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { negotiateFormat } from '../../../src/exporter/exposition/negotiate.ts';

const PROTOBUF = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';

describe('the format of an answer', () => {
  it.each([
    [
      'Prometheus 2.32',
      'application/openmetrics-text; version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    ],
    [
      'Prometheus 2.42',
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    ],
    [
      'Prometheus 3',
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    ],
    [
      'Prometheus 3 with native histograms',
      `${PROTOBUF};q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1`,
    ],
    ['a reader of OpenMetrics of any version', 'application/openmetrics-text'],
    ['a careless writer', ' APPLICATION/OpenMetrics-Text ; Version="1.0.0" ; q = 0.9 , text/plain;q=0.9'],
  ])('is OpenMetrics for %s', (_, accept) => {
    expect(negotiateFormat(accept)).toBe('openmetrics');
  });

  it.each([
    ['nobody in particular', undefined],
    ['a blank header', ' '],
    ['curl', '*/*'],
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'],
    ['Telegraf', `${PROTOBUF};q=0.7,text/plain;version=0.0.4;q=0.3`],
    [
      'Prometheus 2.30, before OpenMetrics 1.0',
      'application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    ],
    [
      'a Prometheus told to prefer text',
      'text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1',
    ],
    ['who would rather have anything else', 'application/openmetrics-text;q=0.5,*/*;q=0.8'],
    ['who refuses OpenMetrics', 'application/openmetrics-text;version=1.0.0;q=0,*/*;q=0.1'],
    ['who would take any application type', 'application/*'],
    ['nonsense', ';;,=,q=,text/;q=x'],
  ])('is text for %s', (_, accept) => {
    expect(negotiateFormat(accept)).toBe('text');
  });

  it('is one of the two for any header', () => {
    const pieces = [
      'application/openmetrics-text',
      'text/plain',
      '*/*',
      ';',
      ',',
      '=',
      'q=',
      '0.5',
      'version=1.0.0',
      ' ',
    ];
    const header = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string())).map((all) => all.join(''));
    fc.assert(
      fc.property(header, (accept) => {
        expect(['text', 'openmetrics']).toContain(negotiateFormat(accept));
      }),
    );
  });
});
