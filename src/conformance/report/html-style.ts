// How the page of a report looks: on a screen in light and dark, and on paper. Every colour has a contrast of at least 4.5 to its ground.

const LIGHT =
  "--ground: #ffffff; --text: #1f2328; --faint: #f3f4f6; --line: #8c959f; --link: #0550ae; --passed: #116329; --failed: #a40e26; --skipped: #57606a;";
const DARK =
  "--ground: #0d1117; --text: #e6edf3; --faint: #1a212b; --line: #6e7681; --link: #79c0ff; --passed: #56d364; --failed: #ff9492; --skipped: #b1bac4;";

/**
 * The style sheet. Long words and bytes break, so that the page never scrolls sideways. On a narrow screen the table scrolls within its own region,
 * which the keyboard reaches.
 */
export const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
dt { font-weight: bold; }
dd { margin: 0 0 0.5rem 1rem; }
.summary { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
.summary dd { margin: 0; }
article { border-left: 0.25rem solid var(--line); padding-left: 1rem; margin-bottom: 2rem; }
pre { background: var(--faint); border: 1px solid var(--line); padding: 0.5rem; margin: 0.25rem 0; white-space: pre-wrap;
  font: 0.9rem/1.4 ui-monospace, monospace; }
.table { overflow-x: auto; }
.table:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-weight: bold; padding: 0.5rem 0; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top;
  overflow-wrap: break-word; }
tbody th, td.text { overflow-wrap: anywhere; min-width: 8rem; }
thead th { background: var(--faint); }
.verdict { font-weight: bold; }
.passed { color: var(--passed); }
.failed { color: var(--failed); }
.skipped { color: var(--skipped); }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  .table { overflow: visible; }
  a { color: inherit; text-decoration: none; }
  thead { display: table-header-group; }
  tr, dt { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
}
`;
