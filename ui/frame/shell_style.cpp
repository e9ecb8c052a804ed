#include "ui/frame/shell_style.h"

#include "ui/theme/tab_padding.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

QString shellStyleSheet(const Theme& theme) {
    return QStringLiteral(R"(
QLabel[role="faint"] { color: %1; font-size: 11px; }
QLabel[role="key"] { color: %1; font-size: 11px; }
QLabel[role="caution"] { color: %3; }
QLabel[role="dim"] { color: %1; font-size: 11px; }
QLabel[role="changed"] { color: %12; }
QLabel[role="refusal"] { color: %10; }
QLabel[role="message"] { color: %1; padding-left: 16px; }
QLabel[role="heading"] { font-weight: 600; }
QLabel[role="good"] { color: %11; }
#dockTitle { background: %4; border-bottom: 1px solid %5; }
#centreHeader { background: %4; border-bottom: 1px solid %5; }
#dockTitle QToolButton { padding: 2px 6px; color: %1; }
#notice { background: %6; border: none; border-bottom: 1px solid %2; }
#noticeDetails { background: %6; border: 1px solid %2; border-top: none; }
#noticeDetails QPlainTextEdit { background: %6; }
#commandPalette { background: %6; border: 1px solid %5; border-radius: 6px; }
#commandPalette QListView { background: transparent; }
QTabBar[hasCorner="true"]::tab:last { margin-right: 24px; }
#variantBar QTabBar::tab { background: %6; border: 1px solid %5; border-radius: 4px; padding: 4px %13px; margin-right: 4px; color: %1; }
#variantBar QTabBar[dense="true"]::tab { padding: 4px %14px; }
#variantBar QTabBar::tab:hover { color: %7; }
#variantBar QTabBar::tab:selected { background: %8; color: %9; border-color: %8; font-weight: 600; }
#variantBar QToolButton { border: 1px solid %5; background: %6; padding: 3px 8px; }
#variantBar QTabBar QToolButton { padding: 0; }
#variantBar QTabBar::tear { width: 0px; border: none; }
#uncoveredTitle { text-align: left; color: %1; padding: 6px 12px; border: none; border-top: 1px solid %5; border-radius: 0; }
#inspector { background: %4; border: none; border-radius: 0; padding: 0; }
#moduleTree, #buckets, #uncovered, #problems, #log, #passes, #stepChanges, #passOptions, #passOptionsContent { background: %4; }
#stepRefusal { background: %4; color: %10; border: none; border-radius: 0; padding: 4px 8px; }
#passOptions QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid %1; border-radius: 3px; background: transparent; }
#passOptions QCheckBox::indicator:checked { background: %8; border-color: %8; }
#passOptions QCheckBox::indicator:focus { border-color: %8; }
#passesBar QToolButton { padding: 4px 8px; }
#passPicker, #groupSettings { background: %6; border: 1px solid %5; border-radius: 6px; }
#passPicker QListView { background: transparent; }
ModulesPanel, BucketBoard, PassesPanel, #meshInputs, #rankStageBar { background: %4; }
)")
        .arg(theme.dim.name(), theme.caution.name(), theme.asText(theme.caution).name(), theme.panel.name(),
             theme.line.name(), theme.raised.name(), theme.text.name(), theme.accent.name(),
             theme.textOn(theme.accent).name())
        .arg(theme.asText(theme.exposed).name(), theme.asText(theme.hidden).name(), theme.asText(theme.accent).name())
        .arg(plan_tab_padding.wide)
        .arg(plan_tab_padding.dense);
}

}  // namespace overlap::ui
