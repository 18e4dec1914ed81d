import { expect, it } from 'vitest';
import { DASHBOARDS, textOf } from '../../grafana/source/dashboards.ts';
import { committed } from './committed.ts';

it('commits each dashboard as its source makes it: otherwise run npm run dashboards', () => {
  const files = Object.fromEntries(committed().map(({ file, text }) => [file, text]));
  const made = Object.entries(DASHBOARDS).map(([file, dashboard]) => [file, textOf(dashboard)]);
  expect(files).toEqual(Object.fromEntries(made));
});
