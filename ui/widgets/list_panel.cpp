#include "ui/widgets/list_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>

#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

ListPanel::ListPanel(QWidget* parent) : QFrame(parent), list_(new QTreeWidget(this)), heading_(new QLabel(this)) {
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAllColumnsShowFocus(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->header()->setStretchLastSection(true);
    auto* leave = new QToolButton(this);
    leave->setText(QStringLiteral("×"));
    leave->setAutoRaise(true);
    leave->setAccessibleName(tr("Close"));
    leave->setToolTip(tr("Close (Escape)"));

    auto* top = new QHBoxLayout;
    top->setContentsMargins(2 * gridPx, gridPx, gridPx, 0);
    top->addWidget(heading_, 1);
    top->addWidget(leave);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(gridPx);
    layout->addLayout(top);
    layout->addWidget(list_, 1);
    setFocusProxy(list_);
    list_->installEventFilter(this);
    connect(leave, &QToolButton::clicked, this, &ListPanel::close);
    hide();
}

void ListPanel::open(const QString& heading) {
    heading_->setText(shownName(heading));
    for (int column = 0; column + 1 < list_->columnCount(); ++column) list_->resizeColumnToContents(column);
    if (!list_->currentItem() && list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
    show();
    raise();
}

void ListPanel::close() {
    hide();
    emit closed();
}

void ListPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) close();
    event->accept();  // keys of the timeline mean nothing in a list
}

/// The list itself would copy one cell.
bool ListPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy))
        return QFrame::eventFilter(watched, event);
    QGuiApplication::clipboard()->setText(text());
    return true;
}

}  // namespace overlap::ui
