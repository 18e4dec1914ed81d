import type { UPlotConfigBuilder } from '@grafana/ui';
import { useLayoutEffect } from 'react';
import { filledIn } from '../source/filled-in.ts';
import type { AnnotationJson } from './dashboard.ts';
import { queryRange, type Range } from './prometheus.ts';

/** A time that is marked in every graph. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** The same as `from` where it is a moment. */
  readonly to: number;
  readonly colour: string;
}

/** What an annotation marks: the times in which its series are there, or the moments that their values name. */
export async function marksOf(
  { expr, iconColor, useValueForTime }: AnnotationJson,
  { prometheus, range, values }: { prometheus: string; range: Range; values: Record<string, string> },
): Promise<readonly Mark[]> {
  const series = await queryRange(prometheus, filledIn(expr, values), range);
  const marked = series.flatMap((one) => (useValueForTime ? named(one) : regions(one, range.step)));
  return marked.filter(({ to }) => to > range.from && to <= range.to).map((one) => ({ ...one, colour: iconColor }));
}

type Points = { readonly values: readonly (readonly [seconds: number, value: string])[] };

function named({ values }: Points): { from: number; to: number }[] {
  const moments = new Set(values.map(([, text]) => Number(text)));
  return [...moments].map((at) => ({ from: at, to: at }));
}

/** Points that are no further apart than a step are one region. */
function regions({ values }: Points, step: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const [seconds] of values) {
    const at = seconds * 1000;
    const last = found.at(-1);
    if (last !== undefined && at - last.to <= step) last.to = at;
    else found.push({ from: at, to: at });
  }
  return found;
}

/** Draws the marks into a graph, as Grafana does: dashed lines, what lies between them shaded, a bar at the foot. */
export function Marks({ config, marks }: { config: UPlotConfigBuilder; marks: readonly Mark[] }) {
  useLayoutEffect(() => {
    config.addHook('draw', ({ ctx, bbox, valToPos }) => {
      ctx.save();
      ctx.lineWidth = 1;
      for (const { from, to, colour } of marks) {
        const [x, end] = [valToPos(from, 'x', true), valToPos(to, 'x', true)];
        const foot = bbox.top + bbox.height;
        ctx.strokeStyle = colour;
        ctx.fillStyle = colour;
        ctx.setLineDash([5, 5]);
        for (const edge of new Set([x, end])) {
          ctx.beginPath();
          ctx.moveTo(edge, bbox.top);
          ctx.lineTo(edge, foot);
          ctx.stroke();
        }
        if (end > x) {
          ctx.globalAlpha = 0.1;
          ctx.fillRect(x, bbox.top, end - x, bbox.height);
          ctx.globalAlpha = 1;
          ctx.fillRect(x, foot, end - x, 5);
          continue;
        }
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
