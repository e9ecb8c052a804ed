#pragma once

#include <string_view>

namespace overlap {

/// The style sheet of the report: the application's colours by day and by night, and paper for the printer.
inline constexpr std::string_view report_style = R"css(
:root { color-scheme: light dark;
  --background: #ffffff; --panel: #f5f6f8; --line: #d5d9e0; --text: #1d2129; --dim: #555d6b;
  --accent: #1f6feb; --exposed: #cf3b2e; --exposed-ground: #f8dedb; --hidden: #2c8f4e; --caution: #a66f00;
  --compute: #7a889f; --unbucketed: #6c7686; --memory: #1f8a98; --idle: #eceef2;
  --b0: #19458c; --b1: #527756; --b2: #674605; --b3: #d158ca; --b4: #3f8b97; --b5: #e26111; --b6: #8648aa;
  --b7: #739069; }
@media screen and (prefers-color-scheme: dark) { :root {
  --background: #16181d; --panel: #1c1f26; --line: #2e333d; --text: #d7dae0; --dim: #8b93a1;
  --accent: #4f9cf9; --exposed: #f2695c; --exposed-ground: #43272a; --hidden: #5ec27f; --caution: #e8b44c;
  --compute: #72819c; --unbucketed: #9aa3b2; --memory: #4fb3bf; --idle: #22262f;
  --b0: #5c87e0; --b1: #83c597; --b2: #e9c81a; --b3: #ae6f9e; --b4: #7de6e1; --b5: #f7973d; --b6: #b2a3e6;
  --b7: #c2df8b; } }
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
.picture { display: block; width: 100%; height: auto; }
.picture text { fill: var(--dim); font-size: 11px; } .picture .lane { fill: var(--text); font-size: 12px; }
.tick { text-anchor: middle; } .tick.last { text-anchor: end; }
.grid { stroke: var(--line); fill: none; } .end { stroke: var(--text); stroke-dasharray: 3 2; fill: none; }
.r0 { fill: var(--idle); } .r1 { fill: var(--compute); } .r2 { fill: var(--b0); } .r3 { fill: var(--b1); }
.r4 { fill: var(--b2); } .r5 { fill: var(--b3); } .r6 { fill: var(--b4); } .r7 { fill: var(--b5); }
.r8 { fill: var(--b6); } .r9 { fill: var(--b7); } .r10 { fill: var(--exposed); } .r11 { fill: var(--hidden); }
.r12 { fill: var(--unbucketed); }
.stall { fill: url(#hatching); } .stall-ground { fill: var(--exposed-ground); } .stall-stripe { fill: var(--exposed); }
.held { fill: none; stroke: var(--memory); } .held-area { fill: var(--memory); opacity: 0.22; }
.held-before { fill: none; stroke: var(--dim); stroke-dasharray: 4 3; }
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
