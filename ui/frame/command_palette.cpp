#include "ui/frame/command_palette.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/frame/actions.h"
#include "ui/widgets/elided_label.h"

namespace overlap::ui {
namespace {

constexpr int palette_width = 560;
constexpr int palette_rows = 12;

QString plainText(const QAction& action) {
    return action.text().remove(u'&').remove(u'…');
}

QWidget* makeRow(const Actions::Entry& entry) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(10, 0, 10, 0);
    layout->setSpacing(8);
    auto* title = new QLabel(plainText(*entry.action));
    auto* where = new QLabel(entry.menu);
    where->setProperty("role", "faint");
    layout->addWidget(title);
    layout->addWidget(where);
    if (entry.action->isEnabled()) {
        layout->addStretch();
    } else {
        // Its status tip says why, as in menus.
        title->setEnabled(false);
        auto* reason = new ElidedLabel;
        reason->setObjectName("whyNot");
        reason->setText(entry.action->statusTip());
        reason->setProperty("role", "faint");
        reason->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        layout->addWidget(reason, 1);
    }
    auto* keys = new QLabel(entry.action->shortcut().toString(QKeySequence::NativeText));
    keys->setObjectName("keys");
    keys->setProperty("role", "key");
    layout->addWidget(keys);
    row->setAttribute(Qt::WA_TransparentForMouseEvents);
    return row;
}

}  // namespace

CommandPalette::CommandPalette(const Actions& actions, QWidget* window)
    : QFrame(window), actions_(actions), field_(new QLineEdit), list_(new QListWidget) {
    setObjectName("commandPalette");
    setAccessibleName(tr("Command palette"));
    field_->setPlaceholderText(tr("Type a command"));
    field_->setAccessibleName(tr("Command"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setAccessibleName(tr("Commands"));
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(field_);
    layout->addWidget(list_);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
    hide();
}

void CommandPalette::open() {
    focus_before_ = window()->focusWidget();
    field_->clear();
    fill({});
    show();
    raise();
    field_->setFocus();
}

void CommandPalette::fill(const QString& query) {
    std::vector<std::pair<int, const Actions::Entry*>> found;
    for (const Actions::Entry& entry : actions_.entries()) {
        if (entry.id == u"help.palette") continue;
        const int score = std::max(2 * fuzzyScore(query, plainText(*entry.action)),
                                   fuzzyScore(query, entry.menu + u' ' + plainText(*entry.action)));
        if (score > 0) found.emplace_back(score, &entry);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    list_->clear();
    for (const auto& [score, entry] : found) {
        auto* item = new QListWidgetItem(list_);
        item->setData(Qt::UserRole, entry->id);
        item->setData(Qt::AccessibleTextRole, plainText(*entry->action));
        item->setToolTip(entry->action->statusTip());
        item->setSizeHint({0, fontMetrics().height() + 10});
        list_->setItemWidget(item, makeRow(*entry));
    }
    if (found.empty()) {
        auto* nothing = new QListWidgetItem(tr("No command is called that"), list_);
        nothing->setFlags(Qt::NoItemFlags);
        nothing->setSizeHint({0, fontMetrics().height() + 10});
    } else {
        list_->setCurrentRow(0);
    }

    const int rows = std::clamp(list_->count(), 1, palette_rows);
    const int width = std::min(palette_width, parentWidget()->width() - 32);
    resize(width, field_->sizeHint().height() + rows * (fontMetrics().height() + 10) + 26);
    move((parentWidget()->width() - width) / 2, 56);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut && isVisible()) {
        hide();
    } else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int row = list_->currentRow();
        switch (key->key()) {
            case Qt::Key_Escape:
                close();
                return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                run();
                return true;
            case Qt::Key_Down:
                list_->setCurrentRow(std::min(row + 1, list_->count() - 1));
                return true;
            case Qt::Key_Up:
                list_->setCurrentRow(std::max(row - 1, 0));
                return true;
            case Qt::Key_PageDown:
                list_->setCurrentRow(std::min(row + palette_rows, list_->count() - 1));
                return true;
            case Qt::Key_PageUp:
                list_->setCurrentRow(std::max(row - palette_rows, 0));
                return true;
            default:
                break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item || !item->flags().testFlag(Qt::ItemIsEnabled)) return;  // there is none to run
    QAction* action = actions_.find(item->data(Qt::UserRole).toString());
    if (action && !action->isEnabled()) return;  // its row says why
    close();
    // The focus is back where it was: actions that work on the focused view find it.
    if (action) action->trigger();
}

void CommandPalette::close() {
    hide();
    if (focus_before_) focus_before_->setFocus();
}

}  // namespace overlap::ui
