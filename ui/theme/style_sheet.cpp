#include <QHash>
#include <QRegularExpression>

#include "ui/theme/tab_padding.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

/// Qt's widgets in the application's look; @names are tokens. Flat, hairlines instead of frames, a 4-px grid.
/// A rule of a sheet takes the arrows of combo and spin boxes away: theirs are pictures in a grey for both themes.
/// Without rules, Qt draws frames darker than the window, which are unseen on a dark one, and a disabled combo box like
/// another.
constexpr const char* sheet = R"(
* { font-size: @normalpx; }
QWidget { color: @text; }
QMainWindow, QDialog, QDockWidget, QStatusBar, QMenuBar, QToolBar { background: @panel; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: @accent; }

QToolBar { border: none; border-bottom: 1px solid @line; padding: 4px 8px; spacing: 4px; }
QToolBar::separator { background: @line; width: 1px; margin: 4px 4px; }
QMenuBar { border-bottom: 1px solid @line; }
QMenuBar::item { padding: 4px 10px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @raised; }
QMenu { background: @raised; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QStatusBar { border-top: 1px solid @line; color: @dim; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @dim; }

QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; font-weight: 600; }
QDockWidget::title { background: @panel; padding: 6px 12px; border-bottom: 1px solid @line; text-align: left; }

QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @dim; padding: 6px @tabPadding; border: none; border-bottom: 2px solid transparent; }
QTabBar[dense="true"]::tab { padding: 6px @denseTabPadding; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:focus { color: @accentText; }
QTabBar::tab:disabled { color: @faint; }
QTabBar QToolButton { padding: 0; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }

QPushButton, QToolButton { background: @raised; border: 1px solid @line; border-radius: 4px; padding: 4px 12px; }
QToolBar QToolButton { padding: 4px 8px; }
QPushButton:hover, QToolButton:hover { border-color: @faint; }
QPushButton:pressed, QToolButton:pressed { background: @line; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton:checked, QToolButton:checked { background: @selection; border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @faint; background: @panel; }
QPushButton:default { background: @accent; color: @onAccent; border-color: @accent; }
QPushButton:default:focus { border-color: @text; }
QPushButton:default:disabled { background: @panel; color: @faint; border-color: @line; }
QCheckBox:disabled, QRadioButton:disabled, QLabel:disabled { color: @faint; }
QToolButton[autoRaise="true"] { background: transparent; border-color: transparent; }
QToolButton[autoRaise="true"]:hover { background: @raised; }
QToolButton[autoRaise="true"]:focus { border-color: @accent; }
QToolButton::menu-indicator { image: none; }
QFileDialog QToolButton { padding: 3px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @faint; border-radius: 3px; background: @background; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check.svg); }
QCheckBox::indicator:disabled { border-color: @line; background: @panel; }
QCheckBox::indicator:checked:disabled { background: @faint; border-color: @faint; }

QLineEdit, QPlainTextEdit, QTextEdit {
    background: @background; border: 1px solid @line; border-radius: 4px; padding: 3px 8px;
    selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: @accent; }
QLineEdit:disabled { color: @faint; }
QPlainTextEdit[role="page"], QTextEdit[role="page"] { border: none; border-radius: 0; }
QAbstractSpinBox { background: @background; border: 1px solid @line; border-radius: 4px; padding: 2px 18px 2px 6px;
    selection-background-color: @accent; selection-color: @onAccent; }
QAbstractSpinBox:focus { border-color: @accent; }
QAbstractSpinBox:disabled { color: @faint; background: @panel; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; width: 18px; border: none;
    background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; margin: 1px 1px 0 0; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin: 0 1px 1px 0; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: @raised; }
QAbstractSpinBox::up-arrow { image: url(:/icons/arrow-up.svg); width: 8px; height: 5px; }
QAbstractSpinBox::down-arrow { image: url(:/icons/arrow-down.svg); width: 8px; height: 5px; }
QAbstractSpinBox::up-arrow:off, QAbstractSpinBox::down-arrow:off, QAbstractSpinBox::up-arrow:disabled,
QAbstractSpinBox::down-arrow:disabled { image: none; }
QComboBox { background: @background; border: 1px solid @line; border-radius: 4px; padding: 2px 18px 2px 6px; }
QComboBox:focus, QComboBox:on { border-color: @accent; }
QComboBox:disabled { color: @faint; background: @panel; }
QComboBox::drop-down { subcontrol-origin: border; subcontrol-position: center right; width: 18px; border: none; }
QComboBox::down-arrow { image: url(:/icons/arrow-down.svg); width: 8px; height: 5px; }
QComboBox::down-arrow:disabled { image: none; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @line; selection-background-color: @selection; }

QAbstractItemView { background: @background; border: none; outline: none; alternate-background-color: @panel;
    selection-background-color: @selection; selection-color: @text; }
#completions { background: @raised; border: 1px solid @line; }
QTreeView::item, QListView::item, QTableView::item { padding: 2px 4px; border: none; }
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover { background: @hover; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected { background: @selection; color: @text; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {
    border-top: 1px solid @accent; border-bottom: 1px solid @accent; }
QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @dim; border: none; border-bottom: 1px solid @line;
    padding: 4px 0 4px 8px; font-size: @smallpx; }
#moduleTree QHeaderView::section { padding: 4px 0 4px 4px; }
#memoryRules QHeaderView::section { padding: 0 0 1px 8px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-position: top center; width: 8px; height: 6px; }
QTableView { gridline-color: @line; }
QScrollArea { border: none; background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QProgressBar { background: @raised; border: none; border-radius: 2px; max-height: 4px; text-align: center; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 4px 8px; }
QGroupBox { border: none; border-top: 1px solid @line; margin-top: 16px; padding-top: 8px; }
QGroupBox::title { subcontrol-origin: margin; left: 0; color: @dim; }
)";

}  // namespace

QString styleSheetOf(const Theme& theme) {
    const QHash<QString, QString> tokens{
        {QStringLiteral("background"), theme.background.name()},
        {QStringLiteral("panel"), theme.panel.name()},
        {QStringLiteral("raised"), theme.raised.name()},
        {QStringLiteral("line"), theme.line.name()},
        {QStringLiteral("text"), theme.text.name()},
        {QStringLiteral("dim"), theme.dim.name()},
        {QStringLiteral("faint"), theme.faint.name()},
        {QStringLiteral("accent"), theme.accent.name()},
        {QStringLiteral("accentText"), theme.asText(theme.accent).name()},
        {QStringLiteral("onAccent"), theme.textOn(theme.accent).name()},
        {QStringLiteral("selection"), theme.selection().name()},
        {QStringLiteral("hover"), blended(theme.background, theme.accent, 0.08).name()},
        {QStringLiteral("normalpx"), QStringLiteral("%1px").arg(normalTextPx)},
        {QStringLiteral("tabPadding"), QStringLiteral("%1px").arg(usual_tab_padding.wide)},
        {QStringLiteral("denseTabPadding"), QStringLiteral("%1px").arg(usual_tab_padding.dense)},
        {QStringLiteral("smallpx"), QStringLiteral("%1px").arg(smallTextPx)},
    };
    const QString source = QString::fromLatin1(sheet);
    static const QRegularExpression token(QStringLiteral("@(\\w+)"));
    QString result;
    qsizetype copied = 0;
    for (auto found = token.globalMatch(source); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        result += source.mid(copied, match.capturedStart() - copied);
        result += tokens.value(match.captured(1));
        copied = match.capturedEnd();
    }
    return result + source.mid(copied);
}

}  // namespace overlap::ui
