#include "ui/panels/log_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include "ui/panels/log.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/empty_note.h"

namespace overlap::ui {
namespace {

class LogDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const bool failure = index.data(Log::level_role).toInt() == static_cast<int>(Log::Level::failure);
        option->palette.setColor(QPalette::Text,
                                 currentTheme().asText(failure ? currentTheme().exposed : currentTheme().dim));
    }
};

}  // namespace

LogPanel::LogPanel(Log& log, QWidget* parent) : QListView(parent) {
    setModel(&log);
    setItemDelegate(new LogDelegate(this));
    setObjectName("log");
    setAccessibleName(tr("Log"));
    setSelectionMode(ExtendedSelection);
    setFrameShape(NoFrame);
    setUniformItemSizes(true);
    sayWhenEmpty(*this, [] { return tr("Messages are listed here"); });
    connect(&log, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
        const bool at_end = verticalScrollBar()->value() == verticalScrollBar()->maximum();
        if (at_end)
            QMetaObject::invokeMethod(
                this, [this] { scrollToBottom(); }, Qt::QueuedConnection);
    });
}

void LogPanel::keyPressEvent(QKeyEvent* event) {
    if (!event->matches(QKeySequence::Copy)) return QListView::keyPressEvent(event);
    QModelIndexList rows = selectionModel()->selectedIndexes();
    std::sort(rows.begin(), rows.end());
    QStringList lines;
    for (const QModelIndex& row : rows) lines.append(row.data(true_text_role).toString());
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

}  // namespace overlap::ui
