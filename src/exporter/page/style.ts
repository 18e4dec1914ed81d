/** Style sheet of the status page. Every state has a word besides its colour. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f4f0; --panel: #ffffff; --ink: #1d2127; --quiet: #59616c; --rule: #dcd9d1; --hover: #f3f1eb;
  --link: #1c5a9f; --ok: #1b6a3d; --bad: #b0271f; --warn: #855600; --busy: #1c5a9f;
  --bad-ground: #fbeeec; --track: #e6e3dc; --fill: #4d8a67;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #13161a; --panel: #1a1e24; --ink: #e5e3de; --quiet: #9ba4af; --rule: #2d333b; --hover: #20252c;
    --link: #83b7f0; --ok: #74c897; --bad: #ff9389; --warn: #e6b868; --busy: #83b7f0;
    --bad-ground: #2c1d1e; --track: #2b3138; --fill: #4f9a73;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums;
}
a { color: var(--link); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
h1, h2, h3, p, ul, dl, dd { margin: 0; padding: 0; }
h1 { font-size: 17px; font-weight: 650; }
h2 { font-size: 13px; font-weight: 600; color: var(--quiet); }
h3 { font-size: 15px; font-weight: 650; }
code, .mono { font: 12px/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.quiet { color: var(--quiet); }
.small { font-size: 12px; }
.none { color: var(--quiet); }
.wrap { max-width: 1360px; margin: 0 auto; padding: 0 24px 48px; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 16px; top: 8px; background: var(--panel); padding: 4px 10px; z-index: 1; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 20px; padding: 18px 0 14px; }
.top nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-left: auto; }
.clock { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 14px; }
.clock label { display: inline-flex; gap: 5px; align-items: center; cursor: pointer; }
.clock input { margin: 0; accent-color: var(--link); }

.state { white-space: nowrap; font-weight: 600; }
.state::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-right: 7px; border-radius: 50%; background: currentColor; }
.state.ok { color: var(--ok); }
.state.bad { color: var(--bad); }
.state.bad::before { border-radius: 1px; }
.state.warn { color: var(--warn); }
.state.warn::before { border-radius: 1px; transform: rotate(45deg); }
.state.busy { color: var(--busy); }
.state.calm { color: var(--quiet); font-weight: 400; }
.state.calm::before { background: none; box-shadow: inset 0 0 0 1.5px currentColor; }
.bad-text { color: var(--bad); }
.warn-text { color: var(--warn); }

.alert { border: 1px solid var(--bad); border-left-width: 4px; background: var(--bad-ground); border-radius: 6px; padding: 10px 16px; margin-bottom: 12px; }
.verdict { border: 1px solid var(--rule); border-left: 5px solid var(--quiet); background: var(--panel); border-radius: 6px; padding: 12px 18px; margin-bottom: 12px; }
.verdict.ok { border-left-color: var(--ok); }
.verdict.warn { border-left-color: var(--warn); }
.verdict.bad { border-color: var(--bad); background: var(--bad-ground); }
.verdict .says { font-size: 18px; line-height: 1.4; font-weight: 600; }
.verdict ul { padding-left: 18px; margin-top: 8px; }
.verdict .lines { margin-top: 2px; font-size: 13px; }
.verdict li { margin-bottom: 4px; }
.absent { margin-top: 8px; }
.absent > summary { color: var(--quiet); cursor: pointer; font-size: 13px; }
.notice { border: 1px dashed var(--warn); border-left: 4px solid var(--warn); background: var(--panel); border-radius: 6px; padding: 10px 16px; margin-bottom: 12px; }
.notice strong { color: var(--warn); }

.figures { display: flex; flex-wrap: wrap; gap: 14px 40px; padding: 14px 20px; background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; }
.figures dt { color: var(--quiet); font-size: 12px; }
.figures dd.large { font-size: 21px; line-height: 1.3; font-weight: 600; }
.figures div.words { flex: 1 1 200px; max-width: 360px; }

section { margin-top: 26px; }
section > h2 { margin-bottom: 8px; }
.panel { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px; margin-bottom: 10px; }
.account .head { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; padding: 12px 20px; }
.account .inside { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 18px 48px; padding: 4px 20px 18px; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(110px, 1fr)); gap: 10px 20px; }
.facts dt { color: var(--quiet); font-size: 12px; }
.quota { margin-top: 16px; }
.quota .line { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 16px; }
.bar { display: block; width: 100%; height: 10px; margin: 4px 0; border-radius: 3px; }
.bar .track { fill: var(--track); }
.bar .fill { fill: var(--fill); }
.bar .low { fill: var(--warn); }
.bar .out { fill: var(--bad); }
.bar .mark { fill: var(--ink); }

table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: 12px; font-weight: 500; color: var(--quiet); padding: 7px 14px 7px 0; border-bottom: 1px solid var(--rule); white-space: nowrap; }
td { padding: 8px 14px 8px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
th.number, td.number { text-align: right; }
.parts td { padding-top: 4px; padding-bottom: 4px; overflow-wrap: break-word; }
.parts .number { white-space: nowrap; }
#account { scroll-margin-top: 12px; }
.accounts th[scope=row] { color: inherit; font-size: inherit; font-weight: 600; border-bottom: 1px solid var(--rule); padding: 6px 14px 6px 0; vertical-align: top; white-space: normal; }
.accounts tbody tr:last-child th { border-bottom: 0; }
.accounts td { padding-top: 6px; padding-bottom: 6px; }
.accounts th:first-child { padding-left: 20px; }
.accounts td:last-child, .accounts th:last-child { padding-right: 20px; white-space: nowrap; }
.accounts .number { white-space: nowrap; }
.accounts .who { width: 20%; } .accounts .why { width: 42%; }
.accounts a[aria-current] { color: var(--ink); }
.accounts .more { padding: 10px 20px; border-top: 1px solid var(--rule); }
.chosen { padding: 9px 20px 0; }
.note { margin-bottom: 12px; }
.figures a { color: inherit; text-decoration-color: var(--quiet); }
.jobs th:first-child, .jobs td:first-child { padding-left: 20px; }
.jobs tbody tr:hover td { background: var(--hover); }
.jobs tr.failing td:first-child { box-shadow: inset 4px 0 0 var(--bad); }
.jobs .what { width: 30%; } .jobs .last { width: 27%; } .jobs .now { width: 23%; }
.jobs .name { font-weight: 600; }

.tools { display: flex; flex-wrap: wrap; gap: 10px 22px; align-items: center; padding: 12px 20px; border-bottom: 1px solid var(--rule); }
.tools form { display: flex; gap: 8px; flex: 1 1 300px; }
input[type=search] { flex: 1; min-width: 0; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--quiet); border-radius: 6px; padding: 6px 10px; }
button { font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--quiet); border-radius: 6px; padding: 6px 14px; cursor: pointer; }
.filters { display: flex; flex-wrap: wrap; gap: 6px 16px; list-style: none; padding: 9px 20px; border-bottom: 1px solid var(--rule); }
.filters a { text-decoration: none; display: inline-block; padding: 2px 0; }
.filters a:hover { text-decoration: underline; }
.filters a[aria-current] { color: var(--ink); font-weight: 650; box-shadow: 0 2px 0 var(--ink); }
.pages { display: flex; flex-wrap: wrap; gap: 6px 20px; padding: 10px 20px; border-top: 1px solid var(--rule); }
.nothing { padding: 22px 20px; }

@media (max-width: 760px) {
  .wrap { padding: 0 12px 32px; }
  .top nav { margin-left: 0; }
  .figures { gap: 10px 26px; padding: 12px 14px; }
  .account .head, .chosen, .tools, .filters, .pages, .nothing { padding-left: 14px; padding-right: 14px; }
  .account .inside { grid-template-columns: minmax(0, 1fr); padding: 4px 14px 14px; }
  .accounts thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .accounts table, .accounts tbody, .accounts tr, .accounts td, .accounts th[scope=row] { display: block; width: auto; text-align: left; }
  .accounts tr { padding: 8px 14px; border-bottom: 1px solid var(--rule); }
  .accounts td, .accounts th[scope=row] { border: 0; padding: 1px 0; }
  .accounts td[data-head] { padding-left: 92px; position: relative; }
  .accounts td[data-head]::before { content: attr(data-head); position: absolute; left: 0; color: var(--quiet); font-size: 12px; line-height: 21px; }
  .accounts td.why:has(bdi:empty) { display: none; }
  .parts thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .parts, .parts tbody { display: block; }
  .parts tr { display: flex; flex-wrap: wrap; gap: 0 14px; padding: 6px 0; border-bottom: 1px solid var(--rule); }
  .parts td { border: 0; padding: 0; }
  .parts td:first-child { flex-basis: 100%; font-weight: 600; }
  .parts td:has(> .none:only-child) { display: none; }
  .parts td[data-head]::before { content: attr(data-head) " "; color: var(--quiet); font-size: 12px; }
  .jobs thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .jobs table, .jobs tbody, .jobs tr, .jobs td { display: block; width: auto; }
  .jobs tr { padding: 10px 14px; border-bottom: 1px solid var(--rule); }
  .jobs tr:last-child { border-bottom: 0; }
  .jobs tr.failing { box-shadow: inset 4px 0 0 var(--bad); }
  .jobs tr.failing td:first-child { box-shadow: none; }
  .jobs td, .jobs td:first-child { border: 0; padding: 2px 0 2px 78px; position: relative; }
  .jobs td:first-child { padding-left: 0; }
  .jobs td[data-head]::before { content: attr(data-head); position: absolute; left: 0; color: var(--quiet); font-size: 12px; line-height: 21px; }
}
@media print { .tools, .filters, .clock label, nav { display: none; } }
`;
