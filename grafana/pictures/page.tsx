import { ThemeContext } from '@grafana/data';
import { GlobalStyles, PortalContainer } from '@grafana/ui';
import { createRoot } from 'react-dom/client';
import { filledIn } from '../source/filled-in.ts';
import type { PanelJson } from './dashboard.ts';
import { marksOf } from './marks.tsx';
import { type Answered, Panel, type Shared, THEME } from './panels.tsx';
import type { Picture } from './picture.ts';
import { queryNow, queryRange } from './prometheus.ts';

// Dimensions (px) of Grafana's grid.
const ROW_HEIGHT = 30;
const GAP = 8;
const MARGIN = 16;
const HEAD = 84;

const VALUES = { __rate_interval: '2m', __interval: '1m' };

function valuesOf({ range, chosen }: Picture): Record<string, string> {
  const seconds = Math.round((range.to - range.from) / 1000);
  return { ...VALUES, __range: `${seconds}s`, ...chosen };
}

async function answer(panel: PanelJson, picture: Picture): Promise<Answered> {
  const { prometheus, range } = picture;
  const values = valuesOf(picture);
  const answers = await Promise.all(
    (panel.targets ?? []).map(({ expr }) => {
      const query = filledIn(expr, values);
      return panel.type === 'timeseries'
        ? queryRange(prometheus, query, range)
        : queryNow(prometheus, query, range.to);
    }),
  );
  return { panel, answers };
}

function place({ gridPos: { x, y, w, h } }: PanelJson, width: number) {
  const column = (width - 2 * MARGIN + GAP) / 24;
  return {
    left: MARGIN + x * column,
    top: HEAD + y * (ROW_HEIGHT + GAP),
    width: w * column - GAP,
    height: h * (ROW_HEIGHT + GAP) - GAP,
  };
}

function Head({ dashboard, chosen, range }: Picture) {
  const shown = dashboard.templating.list.map(({ name, label }) => {
    const value = chosen[name];
    return { label, value: value === undefined ? 'Prometheus' : value === '.+' ? 'All' : value };
  });
  const minutes = Math.round((range.to - range.from) / 60_000);
  const length = minutes < 120 ? `${minutes} minutes` : `${minutes / 60} hours`;
  const chip = {
    border: `1px solid ${THEME.colors.border.medium}`,
    borderRadius: 2,
    padding: '2px 8px',
    marginLeft: 4,
  };
  return (
    <div style={{ padding: `12px ${MARGIN}px`, color: THEME.colors.text.primary }}>
      <div style={{ fontSize: 18, marginBottom: 8, display: 'flex', justifyContent: 'space-between' }}>
        <span>{dashboard.title}</span>
        <span style={{ fontSize: 12, color: THEME.colors.text.secondary }}>
          {dashboard.links.map(({ title }) => (
            <span key={title} style={{ ...chip, marginLeft: 8 }}>
              {title}
            </span>
          ))}
          <span style={{ ...chip, marginLeft: 8 }}>Last {length} (UTC)</span>
        </span>
      </div>
      <div style={{ fontSize: 12 }}>
        {shown.map(({ label, value }) => (
          <span key={label} style={{ marginRight: 16 }}>
            {label}
            <span style={chip}>{value}</span>
          </span>
        ))}
      </div>
    </div>
  );
}

function Page({ picture, answered, shared }: { picture: Picture; answered: readonly Answered[]; shared: Shared }) {
  const { width } = picture;
  const bottom = Math.max(
    ...answered.map(({ panel }) => place(panel, width).top + place(panel, width).height),
  );
  return (
    <ThemeContext.Provider value={THEME}>
      <GlobalStyles />
      <div
        style={{
          position: 'relative',
          width,
          height: bottom + MARGIN,
          background: THEME.colors.background.canvas,
        }}
      >
        <Head {...picture} />
        {answered.map((one) => {
          const at = place(one.panel, width);
          return (
            <div key={one.panel.id} style={{ position: 'absolute', ...at }}>
              {one.panel.type === 'row' ? (
                <div style={{ color: THEME.colors.text.primary, fontWeight: 500, lineHeight: '30px' }}>
                  ⌄&nbsp; {one.panel.title}
                </div>
              ) : (
                <Panel answered={one} shared={shared} width={at.width} height={at.height} />
              )}
            </div>
          );
        })}
        <PortalContainer />
      </div>
    </ThemeContext.Provider>
  );
}

/** Draws a dashboard on the page. */
export async function draw(picture: Picture): Promise<void> {
  const answered: Answered[] = [];
  for (const panel of picture.dashboard.panels) answered.push(await answer(panel, picture));
  const asked = { ...picture, values: valuesOf(picture) };
  const marks = await Promise.all(picture.dashboard.annotations.list.map((one) => marksOf(one, asked)));
  const shared = { range: picture.range, marks: marks.flat() };
  const root = document.createElement('div');
  document.body.append(root);
  createRoot(root).render(<Page picture={picture} answered={answered} shared={shared} />);
}

Object.assign(window, { draw });
