import { type Panel, RowBuilder, type RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';

/** Panels of one row of the grid, with the same height. Their widths add up to at most 24. */
export interface Shelf {
  readonly height: number;
  readonly panels: readonly (readonly [width: number, panel: Panel])[];
}

/** Part of a dashboard, with a heading. */
export interface Section {
  readonly title: string;
  readonly shelves: readonly Shelf[];
}

/** Returns shelves with panels of equal width; by default three in a row. */
export function shelves(panels: readonly Panel[], height: number, perShelf = 3): Shelf[] {
  const width = Math.floor(24 / perShelf);
  const count = Math.ceil(panels.length / perShelf);
  return Array.from({ length: count }, (_, shelf) => ({
    height,
    panels: panels.slice(shelf * perShelf, (shelf + 1) * perShelf).map((panel) => [width, panel] as const),
  }));
}

/** Returns every panel with its position on the grid of 24 columns and its own id. */
export function place(sections: readonly Section[]): (Panel | RowPanel)[] {
  const placed: (Panel | RowPanel)[] = [];
  let y = 0;
  const nextId = () => placed.length + 1;
  for (const { title, shelves } of sections) {
    const gridPos = { x: 0, y, w: 24, h: 1 };
    placed.push({ ...new RowBuilder(title).id(nextId()).build(), gridPos });
    y += 1;
    for (const { height, panels } of shelves) {
      let x = 0;
      for (const [w, panel] of panels) {
        placed.push({ ...panel, id: nextId(), gridPos: { x, y, w, h: height } });
        x += w;
      }
      y += height;
    }
  }
  return placed;
}
