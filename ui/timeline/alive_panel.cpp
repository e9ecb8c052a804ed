#include "ui/timeline/alive_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

AlivePanel::AlivePanel(QWidget* parent) : QFrame(parent), heading_(new QLabel(this)), list_(new QTreeWidget(this)) {
    setObjectName("alivePanel");
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Tensors alive at a moment"));
    list_->setAccessibleName(tr("Largest tensors alive"));
    list_->setHeaderLabels({tr("Size"), tr("Tensor"), tr("Module"), tr("Last used by")});
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
    connect(leave, &QToolButton::clicked, this, [this] {
        hide();
        emit closed();
    });
    connect(list_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        emit chosen(tensors_.largest[static_cast<std::size_t>(list_->indexOfTopLevelItem(item))].reference);
    });
    hide();
}

void AlivePanel::showTensors(const AliveTensors& tensors, const QString& moment) {
    tensors_ = tensors;
    heading_->setText(
        tr("%1 in %2 tensors at %3 · %4")
            .arg(formatBytes(static_cast<double>(tensors.bytes)), formatCount(tensors.count), moment, tensors.rule));
    list_->clear();
    for (const AliveTensor& tensor : tensors.largest) {
        auto* item = new QTreeWidgetItem(
            list_, {formatBytes(static_cast<double>(tensor.bytes)), tensor.name, tensor.module, tensor.until});
        item->setTextAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(0, numberFont(smallTextPx));
        item->setFont(1, codeFont(smallTextPx));
        item->setFont(3, codeFont(smallTextPx));
    }
    for (int column = 0; column < 3; ++column) list_->resizeColumnToContents(column);
    if (list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
    show();
    raise();
}

QString AlivePanel::text() const {
    QString text = QStringLiteral("bytes\ttensor\tmodule\tlast_used_by\n");
    for (const AliveTensor& tensor : tensors_.largest)
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(QString::number(tensor.bytes), tensor.name, tensor.module, tensor.until);
    return text;
}

void AlivePanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        hide();
        emit closed();
    } else if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(text());
    }
    event->accept();
}

}  // namespace overlap::ui
