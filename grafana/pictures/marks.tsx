import type { UPlotConfigBuilder } from '@grafana/ui';
import { useLayoutEffect } from 'react';
import { filledIn } from '../source/filled-in.ts';
import type { AnnotationJson } from './dashboard.ts';
import { queryRange, type Range } from './prometheus.ts';

/** Time that all graphs mark with a line. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly colour: string;
}

const STEP = 60_000;

/** Returns the marks of an annotation: the times at which its series exist, or the times in their values. */
export async function marksOf(
  { expr, iconColor: colour, useValueForTime }: AnnotationJson,
  { prometheus, range, values }: { prometheus: string; range: Range; values: Record<string, string> },
): Promise<readonly Mark[]> {
  const series = await queryRange(prometheus, filledIn(expr, values), { ...range, step: STEP });
  const points = series.flatMap(({ values: own }) => own);
  const moments = new Set(points.map(([seconds, text]) => (useValueForTime ? Number(text) : seconds * 1000)));
  return [...moments].filter((at) => at > range.from && at <= range.to).map((at) => ({ at, colour }));
}

/** Draws the marks into a graph as Grafana does: a dashed line with a triangle at its foot. */
export function Marks({ config, marks }: { config: UPlotConfigBuilder; marks: readonly Mark[] }) {
  useLayoutEffect(() => {
    config.addHook('draw', ({ ctx, bbox, valToPos }) => {
      ctx.save();
      ctx.lineWidth = 1;
      ctx.setLineDash([5, 5]);
      for (const { at, colour } of marks) {
        const x = valToPos(at, 'x', true);
        const foot = bbox.top + bbox.height;
        ctx.strokeStyle = colour;
        ctx.fillStyle = colour;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, foot);
        ctx.stroke();
        ctx.beginPath();
        ctx.moveTo(x, foot);
        ctx.lineTo(x - 5, foot + 7);
        ctx.lineTo(x + 5, foot + 7);
        ctx.fill();
      }
      ctx.restore();
    });
  }, [config, marks]);
  return null;
}
