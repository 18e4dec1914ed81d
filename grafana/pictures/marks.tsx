import type { UPlotConfigBuilder } from '@grafana/ui';
import { useLayoutEffect } from 'react';
import { filledIn } from '../source/filled-in.ts';
import type { AnnotationJson } from './dashboard.ts';
import { queryRange, type Range } from './prometheus.ts';

/** A moment that is marked in every graph. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly colour: string;
}

/** The moments of an annotation: where its series begin, or those that their values name. */
export async function marksOf(
  { expr, iconColor, useValueForTime }: AnnotationJson,
  { prometheus, range, values }: { prometheus: string; range: Range; values: Record<string, string> },
): Promise<readonly Mark[]> {
  const series = await queryRange(prometheus, filledIn(expr, values), range);
  const moments = series.flatMap((one) => (useValueForTime ? named(one) : begun(one, range.step)));
  const inside = [...new Set(moments)].filter((at) => at > range.from && at <= range.to);
  return inside.map((at) => ({ at, colour: iconColor }));
}

type Points = { readonly values: readonly (readonly [seconds: number, value: string])[] };

function named({ values }: Points): number[] {
  return values.map(([, text]) => Number(text));
}

function begun({ values }: Points, step: number): number[] {
  const times = values.map(([seconds]) => seconds * 1000);
  return times.filter((at, index) => index === 0 || at - (times[index - 1] ?? 0) > step);
}

/** Draws the marks into a graph, as Grafana does: a dashed line with a triangle at its foot. */
export function Marks({ config, marks }: { config: UPlotConfigBuilder; marks: readonly Mark[] }) {
  useLayoutEffect(() => {
    config.addHook('draw', ({ ctx, bbox, valToPos }) => {
      ctx.save();
      ctx.lineWidth = 1;
      for (const { at, colour } of marks) {
        const x = valToPos(at, 'x', true);
        const foot = bbox.top + bbox.height;
        ctx.strokeStyle = colour;
        ctx.fillStyle = colour;
        ctx.setLineDash([5, 5]);
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
