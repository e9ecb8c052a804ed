#include "ui/mesh/device_order_list.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/theme/harmless_text.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/flat_button.h"

namespace overlap::ui {
namespace {

constexpr int most_rows = 4;  ///< shown at once; more are scrolled

}  // namespace

DeviceOrderList::DeviceOrderList(QWidget* parent)
    : QWidget(parent),
      take_(new QPushButton(tr("Use order…"))),
      title_(new QLabel),
      list_(new QListWidget),
      edit_(flatButton(tr("Edit…"), tr("Change which parameters are stored in this order"))),
      remove_(flatButton(tr("Remove"), tr("Take this device order out of the plan"))) {
    take_->setObjectName("takeOrder");
    take_->setToolTip(
        tr("Store this parameter, or all that match a pattern, in the order that the source has; the choice goes into "
           "the plan"));
    take_->setAccessibleName(tr("Use this order for parameters that match a pattern"));
    title_->setProperty("role", "dim");
    list_->setObjectName("deviceOrders");
    list_->setAccessibleName(tr("Device orders of the plan"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->installEventFilter(this);
    edit_->setObjectName("editOrder");
    remove_->setObjectName("removeOrder");
    auto* heading = new QHBoxLayout;
    heading->setContentsMargins(0, 0, 4, 0);
    heading->setSpacing(0);
    heading->addWidget(title_, 1);
    heading->addWidget(edit_);
    heading->addWidget(remove_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 8);
    layout->setSpacing(4);
    layout->addWidget(take_);
    layout->addLayout(heading);
    layout->addWidget(list_);
    connect(take_, &QPushButton::clicked, this, &DeviceOrderList::takeWanted);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        updateButtons();
        if (row >= 0) emit chosen(row);
    });
    connect(list_, &QListWidget::itemDoubleClicked, edit_, &QToolButton::click);
    connect(edit_, &QToolButton::clicked, this, [this] { emit editWanted(current()); });
    connect(remove_, &QToolButton::clicked, this, [this] { emit removeWanted(current()); });
    show({}, false);
}

int DeviceOrderList::current() const {
    return list_->currentRow();
}

void DeviceOrderList::setCurrent(int row) {
    list_->setCurrentRow(row);
}

void DeviceOrderList::show(const std::vector<DeviceOrderRow>& rows, bool editable) {
    editable_ = editable;
    title_->setText(rows.empty() ? tr("The plan stores none in another order") : tr("Device orders"));
    title_->setWordWrap(rows.empty());
    if (rows != rows_) {
        const QSignalBlocker quiet(list_);
        const int current = this->current();
        rows_ = rows;
        list_->clear();
        for (const DeviceOrderRow& row : rows_) {
            QString text = QStringLiteral("%1\n%2").arg(shownName(row.pattern), shownName(row.detail));
            if (!row.warning.isEmpty()) text += QStringLiteral("\n▲ ") + shownName(row.warning);
            auto* item = new QListWidgetItem(text, list_);
            item->setToolTip(shownLines(row.help));
            item->setData(Qt::AccessibleTextRole, shownLines(row.help));
        }
        list_->setCurrentRow(std::min(current, list_->count() - 1));
    }
    list_->setVisible(!rows_.empty());
    int height = 2;
    for (int row = 0; row < std::min(list_->count(), most_rows); ++row) height += list_->sizeHintForRow(row);
    list_->setFixedHeight(height);
    updateButtons();
}

void DeviceOrderList::setRefusal(const QString& reason) {
    setAvailable(*take_, reason);
}

void DeviceOrderList::updateButtons() {
    for (QToolButton* button : {edit_, remove_}) {
        button->setVisible(!rows_.empty());
        setAvailable(*button, !editable_       ? tr("The baseline is the graph as it is; choose or add a plan to edit")
                              : current() >= 0 ? QString()
                                               : tr("Choose a device order first"));
    }
}

/// Delete removes the chosen order, Enter edits it.
bool DeviceOrderList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        QToolButton* button = key == Qt::Key_Delete                           ? remove_
                              : key == Qt::Key_Return || key == Qt::Key_Enter ? edit_
                                                                              : nullptr;
        if (button) {
            button->click();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace overlap::ui
