#pragma once

#include <string_view>

namespace overlap {

/// The style sheet of drawings (page_pictures.h), with the colours of the page around them: the application's by day
/// and by night.
inline constexpr std::string_view picture_style = R"css(
:root { color-scheme: light dark;
  --background: #ffffff; --panel: #f5f6f8; --line: #d5d9e0; --text: #1d2129; --dim: #555d6b;
  --accent: #1f6feb; --exposed: #cf3b2e; --exposed-ground: #f8dedb; --hidden: #2c8f4e; --caution: #a66f00;
  --compute: #7a889f; --unbucketed: #6c7686; --memory: #1f8a98; --idle: #eceef2;
  --b0: #19458c; --b1: #527756; --b2: #674605; --b3: #d158ca; --b4: #3f8b97; --b5: #e26111; --b6: #8648aa;
  --b7: #739069; --half0: #3f84b2; --half1: #133a55; }
@media screen and (prefers-color-scheme: dark) { :root {
  --background: #16181d; --panel: #1c1f26; --line: #2e333d; --text: #d7dae0; --dim: #8b93a1;
  --accent: #4f9cf9; --exposed: #f2695c; --exposed-ground: #43272a; --hidden: #5ec27f; --caution: #e8b44c;
  --compute: #72819c; --unbucketed: #9aa3b2; --memory: #4fb3bf; --idle: #22262f;
  --b0: #5c87e0; --b1: #83c597; --b2: #e9c81a; --b3: #ae6f9e; --b4: #7de6e1; --b5: #f7973d; --b6: #b2a3e6;
  --b7: #c2df8b; --half0: #a9d3ee; --half1: #4a82a8; } }
.picture { display: block; width: 100%; height: auto; }
.picture text { fill: var(--dim); font-size: 11px; font-family: Inter, system-ui, sans-serif; }
.picture .lane { fill: var(--text); font-size: 12px; }
.tick { text-anchor: middle; } .tick.last { text-anchor: end; }
.grid { stroke: var(--line); fill: none; } .end { stroke: var(--text); stroke-dasharray: 3 2; fill: none; }
.r0 { fill: var(--idle); } .r1 { fill: var(--compute); } .r2 { fill: var(--b0); } .r3 { fill: var(--b1); }
.r4 { fill: var(--b2); } .r5 { fill: var(--b3); } .r6 { fill: var(--b4); } .r7 { fill: var(--b5); }
.r8 { fill: var(--b6); } .r9 { fill: var(--b7); } .r10 { fill: var(--exposed); } .r11 { fill: var(--hidden); }
.r12 { fill: var(--unbucketed); } .r13 { fill: var(--half0); } .r14 { fill: var(--half1); }
.stall { fill: url(#hatching); } .stall-ground { fill: var(--exposed-ground); } .stall-stripe { fill: var(--exposed); }
.held { fill: none; stroke: var(--memory); } .held-area { fill: var(--memory); opacity: 0.22; }
.held-before { fill: none; stroke: var(--dim); stroke-dasharray: 4 3; }
.ground { fill: var(--background); }
)css";

}  // namespace overlap
