#include "ui/widgets/shared_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <utility>

namespace overlap::ui {
namespace {

int widthOfTexts(const QTreeView& table, int column) {
    const QAbstractItemView& view = table;  // where it is public
    return std::max({view.sizeHintForColumn(column), table.header()->sectionSizeHint(column),
                     table.header()->minimumSectionSize()});
}

}  // namespace

SharedColumns::SharedColumns(QTreeView& table, int first, int second)
    : QObject(&table), table_(table), first_(first), second_(second) {
    for (const int column : {first_, second_}) table_.header()->setSectionResizeMode(column, QHeaderView::Fixed);
    table_.viewport()->installEventFilter(this);
    const QAbstractItemModel& model = *table_.model();
    connect(&model, &QAbstractItemModel::modelReset, this, &SharedColumns::fitSoon);
    connect(&model, &QAbstractItemModel::dataChanged, this, &SharedColumns::fitSoon);
    connect(table_.header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (column != first_ && column != second_) fitSoon();
    });
    fitSoon();
}

bool SharedColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitSoon();
    return QObject::eventFilter(watched, event);
}

void SharedColumns::fitSoon() {
    if (std::exchange(fits_soon_, true)) return;
    QTimer::singleShot(0, this, &SharedColumns::fit);
}

void SharedColumns::fit() {
    fits_soon_ = false;
    QHeaderView& header = *table_.header();
    int room = table_.viewport()->width();
    for (int column = 0; column < header.count(); ++column)
        if (column != first_ && column != second_) room -= header.sectionSize(column);
    const int first = widthOfTexts(table_, first_), second = widthOfTexts(table_, second_);
    const int least = header.minimumSectionSize();
    const int of_second =
        std::max(least, first + second <= room ? second : std::min(second, std::max(room / 2, room - first)));
    header.resizeSection(second_, of_second);
    header.resizeSection(first_, std::max(least, room - of_second));
}

}  // namespace overlap::ui
