import { helpOf } from './family-help.ts';
import { ProtobufWriter } from './protobuf.ts';
import type { PushedFamily, PushedSample } from './pushed-sample.ts';

/** The enums of both versions: MetricMetadata.MetricType and Metadata.MetricType. */
const TYPES = { counter: 1, gauge: 2, histogram: 3, summary: 5 } as const;

/** A series' labels by name, with its family's name among them, in the order that receivers expect. */
function sortedLabels({ family, labels }: PushedSample): [string, string][] {
  const names = [...Object.keys(labels), '__name__'].sort();
  return names.map((name) => [name, name === '__name__' ? family.name : (labels[name] ?? '')]);
}

/** `prometheus.WriteRequest` (remote write 1.0), with the metadata of its families. */
export function writeRequest1(samples: readonly PushedSample[]): Uint8Array {
  const request = new ProtobufWriter();
  for (const sample of samples) {
    request.message(1, (series) => {
      for (const [name, value] of sortedLabels(sample)) {
        series.message(1, (label) => {
          label.text(1, name);
          label.text(2, value);
        });
      }
      series.message(2, (one) => writeSample(one, sample));
    });
  }
  const families = new Map(samples.map(({ family }) => [wholeName(family), family]));
  for (const [name, family] of families) {
    request.message(3, (metadata) => {
      metadata.integer(1, TYPES[family.type]);
      metadata.text(2, name);
      metadata.text(4, helpOf(family));
    });
  }
  return request.finish();
}

/** `io.prometheus.write.v2.Request` (remote write 2.0), with metadata and created timestamps. */
export function writeRequest2(samples: readonly PushedSample[]): Uint8Array {
  const request = new ProtobufWriter();
  const symbols = new Map([['', 0]]);
  const reference = (text: string): number => {
    const known = symbols.get(text);
    if (known === undefined) symbols.set(text, symbols.size);
    return known ?? symbols.size - 1;
  };
  for (const sample of samples) {
    request.message(5, (series) => {
      series.packed(1, sortedLabels(sample).flat().map(reference));
      series.message(2, (one) => writeSample(one, sample));
      series.message(5, (metadata) => {
        metadata.integer(1, TYPES[sample.family.type]);
        metadata.integer(3, reference(helpOf(sample.family)));
      });
      if (sample.since !== undefined) series.integer(6, sample.since);
    });
  }
  for (const text of symbols.keys()) request.text(4, text);
  return request.finish();
}

/** `Sample`, of either version. */
function writeSample(writer: ProtobufWriter, { value, at, ended }: PushedSample): void {
  if (ended) writer.staleMarker(1);
  else writer.double(1, value);
  writer.integer(2, at);
}

/** A family's name without what the lines of histograms and summaries add to it. */
function wholeName({ name, type }: PushedFamily): string {
  return type === 'histogram' || type === 'summary' ? name.replace(/_(bucket|sum|count)$/, '') : name;
}
