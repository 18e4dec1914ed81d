import { type Faces, facesOf } from '../catalogue/catalogue.ts';
import type { Family, Labels } from '../catalogue/family.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { familyHeader } from '../exposition/family-header.ts';
import { LabelTexts } from '../exposition/label-text.ts';
import { targetLabels } from '../targets/target.ts';
import { type PlannedSeries, targetOf } from './history-plan.ts';
import { assemble, type SeriesHistory } from './series-history.ts';
import { counterLines, gaugeLines } from './series-lines.ts';
import type { Spool } from './spool.ts';

export interface HistoryTextOptions {
  /** In the order in which they are written, with what was read of each. */
  readonly series: readonly { readonly planned: PlannedSeries; readonly spool: Spool }[];
  /** Buckets that end later (ms) are left out. */
  readonly end: number;
  /** Labels that every series gets besides its own. */
  readonly labels: Labels;
  readonly unitsOf: (account: string) => UnitOverrides;
}

/** A dimension as one family shows it. */
interface Line {
  readonly spool: Spool;
  readonly dimension: string;
  readonly faces: Faces;
  /** Name and labels. */
  readonly text: string;
}

/**
 * The history as OpenMetrics 1.0, in pieces. Families follow each other, within a family its series, and within a
 * series its samples, oldest first, as the format demands. Only one metric of one target is in memory at a time.
 */
export async function* historyText(options: HistoryTextOptions): AsyncGenerator<string> {
  for (const [family, lines] of familiesOf(options)) {
    yield familyHeader(family, 'openmetrics');
    let read: { readonly spool: Spool; readonly history: SeriesHistory } | undefined;
    for (const { spool, dimension, faces, text } of lines) {
      if (read?.spool !== spool) read = { spool, history: assemble(await spool.records(), options.end) };
      const { starts, widths, values: all } = read.history;
      const values = all.get(dimension);
      if (values === undefined) continue;
      const history = { starts, widths, values };
      if (family === faces.counter?.family) yield* counterLines(history, text, faces.counter);
      else yield* gaugeLines(history, text, faces.gauge);
    }
  }
  yield '# EOF\n';
}

/** What each family shows, by name; a series that two metrics bring is taken from the first. */
function familiesOf({ series, labels, unitsOf }: HistoryTextOptions): [Family, Line[]][] {
  const families = new Map<Family, Map<string, Line>>();
  const texts = new LabelTexts();
  for (const { planned, spool } of series) {
    const target = targetOf(planned);
    const context = { scope: target.by, units: unitsOf(target.account) };
    for (const dimension of [...spool.dimensions].sort()) {
      const faces = facesOf(planned.metric, dimension, context);
      const labelText = texts.of({ ...labels, ...targetLabels(target), ...faces.labels });
      for (const face of [faces.gauge, faces.counter]) {
        if (face === undefined) continue;
        const text = face.family.name + labelText;
        const lines = families.get(face.family) ?? new Map<string, Line>();
        if (!lines.has(text)) lines.set(text, { spool, dimension, faces, text });
        families.set(face.family, lines);
      }
    }
  }
  const byName = [...families].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
  return byName.map(([family, lines]) => [family, [...lines.values()]]);
}
