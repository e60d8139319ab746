"""The look of our HTML reports: readable on a phone, on a wide screen, in the dark and on paper.

The names of the colours are those of the figures, so that inlined figures follow the theme.
"""

__all__ = ["CSS"]

CSS = """
:root {
  color-scheme: light dark;
  --ink: #1a1a1a; --paper: #ffffff; --faint: #666666; --mist: #f0f0f0; --line: #d4d4d4;
  --blue: #0072b2; --vermilion: #d55e00; --green: #009e73; --purple: #cc79a7; --orange: #e69f00; --sky: #56b4e9;
  --alarm: #a33c00; --alarm-wash: #fdeee4; --new: #00573f; --new-wash: #e3f5ee; --link: #00558a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8e6e3; --paper: #16181b; --faint: #a3a19d; --mist: #24272b; --line: #3c4046;
    --blue: #4fb0ea; --vermilion: #ff8a3d; --green: #2fce9f; --purple: #e29ac4; --orange: #f2b632; --sky: #8cd0f5;
    --alarm: #ffab7a; --alarm-wash: #3a2417; --new: #7fe0c0; --new-wash: #12322a; --link: #8cc8f2;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.3rem; margin: 3rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2rem 0 .25rem; }
p, li, figcaption { max-width: 46rem; }
a { color: var(--link); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 0; padding: 0; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1.25rem 0; padding: 0; }
.facts div { display: flex; flex-direction: column-reverse; }
.facts dd { margin: 0; font-size: 1.4rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.facts dt, .quiet, small { color: var(--faint); font-size: .85rem; font-weight: normal; }
.line { display: block; }
.scroll {
  position: relative; overflow-x: auto; margin: 1rem 0;
  background:
    linear-gradient(to left, var(--paper) 1rem, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--line), transparent) right / 1.6rem 100% no-repeat scroll;
}
.scroll:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
table.narrow { width: auto; }
table.summary { min-width: 36rem; }
caption { text-align: left; padding: 0 0 .5rem; color: var(--faint); font-size: .9rem; }
caption span { display: inline-block; max-width: min(46rem, calc(100vw - 2rem)); position: sticky; left: 0; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 1px solid var(--ink); vertical-align: bottom; }
thead th[scope=colgroup] { text-align: left; border-bottom-color: var(--line); }
th.block { background: var(--mist); }
tbody th[scope=row]:first-child { position: sticky; left: 0; background: var(--paper); }
table.summary th[scope=row] { position: static; }
sup { line-height: 0; }
td.number, .narrow td { white-space: nowrap; }
td.cell { white-space: nowrap; }
.ours { display: block; font-weight: 600; }
.paper { display: block; font-size: .85rem; color: var(--faint); }
.difference { color: var(--ink); }
td.new { background: var(--new-wash); box-shadow: inset 3px 0 var(--new); }
td.beyond { background: var(--alarm-wash); box-shadow: inset 3px 0 var(--alarm); }
strong.difference, strong.beyond { color: var(--alarm); }
.badge {
  border: 1px solid currentColor; border-radius: .6em; padding: 0 .45em; color: var(--new); font-weight: 600;
}
.notes { list-style: none; padding: 0; font-size: .9rem; }
.notes li { margin: .35rem 0; }
.notes li:target, :target > .difference { background: var(--alarm-wash); }
.spoken {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
figure { margin: 1.5rem 0; }
figure svg { display: block; width: 100%; min-width: 40rem; max-width: 56rem; height: auto; }
figcaption { font-size: .9rem; color: var(--faint); }
details { margin: 1rem 0; }
summary { cursor: pointer; color: var(--link); }
dl.provenance { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; font-size: .9rem; }
dl.provenance dt { color: var(--faint); }
dl.provenance dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; font-variant-numeric: tabular-nums; }
@media (max-width: 40rem) {
  dl.provenance { grid-template-columns: 1fr; gap: 0; }
  dl.provenance dd { margin-bottom: .5rem; }
  h1 { font-size: 1.4rem; }
}
@media print {
  :root {
    --ink: #000000; --paper: #ffffff; --faint: #555555; --mist: #f0f0f0; --line: #cccccc; --link: #000000;
    --blue: #0072b2; --vermilion: #d55e00; --green: #009e73; --purple: #cc79a7; --orange: #e69f00; --sky: #56b4e9;
    --alarm: #a33c00; --alarm-wash: #ffffff; --new: #00573f; --new-wash: #ffffff;
  }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  nav, .notes a { display: none; }
  .scroll { overflow: visible; background: none; }
  figure svg { min-width: 0; }
  tr, figure { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
"""
