#pragma once

#include <string_view>

namespace overlap {

/// The style sheet of the report beside picture_style: its text and tables, and paper for the printer.
inline constexpr std::string_view report_style = R"css(
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text); font: 14px/1.5 Inter, system-ui, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
main { max-width: 1240px; margin: 0 auto; padding: 32px 28px 64px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 16px; margin: 40px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
p { margin: 4px 0 12px; max-width: 90ch; }
.dim, small, figcaption { color: var(--dim); }
code { font: 0.92em ui-monospace, "JetBrains Mono", Menlo, Consolas, monospace; unicode-bidi: isolate; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 20px 0; }
.figure { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 12px 16px; }
.figure b { display: block; font-size: 22px; font-weight: 600; line-height: 1.3; }
.figure .label { color: var(--dim); font-size: 12px; } .figure small { display: block; }
.figure { white-space: nowrap; }
.better { color: var(--hidden); } .worse { color: var(--exposed); }
figure { margin: 16px 0; } figcaption { font-size: 13px; margin-bottom: 6px; }
.definitions { position: absolute; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 12px; color: var(--dim); }
.legend svg { vertical-align: -2px; margin-right: 6px; }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 5px 16px 5px 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; white-space: nowrap; }
td { unicode-bidi: isolate; } .number { text-align: right; white-space: nowrap; }
td:first-child code { white-space: nowrap; } td ul { margin: 0; padding-left: 16px; }
.error { color: var(--exposed); } .caution { color: var(--caution); }
@media print { :root { color-scheme: light; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { padding: 0; max-width: none; } .table { overflow: visible; } h2, tr, figure, .figure { break-inside: avoid; }
  h2 { break-after: avoid; } thead { display: table-header-group; } body { font-size: 11px; } table { font-size: 10px; } }
)css";

}  // namespace overlap
