#include "ui/widgets/shared_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <utility>

namespace overlap::ui {
namespace {

constexpr int widest_column = 4000;  ///< of a session that says more nothing is believed

int widthOfTexts(const QTreeView& table, int column) {
    const QAbstractItemView& view = table;  // where it is public
    return std::max({view.sizeHintForColumn(column), table.header()->sectionSizeHint(column),
                     table.header()->minimumSectionSize()});
}

}  // namespace

SharedColumns::SharedColumns(QTreeView& table, int first, int second)
    : QObject(&table), table_(table), first_(first), second_(second) {
    QHeaderView& header = *table_.header();
    header.setSectionResizeMode(QHeaderView::Interactive);
    table_.viewport()->installEventFilter(this);
    const QAbstractItemModel& model = *table_.model();
    connect(&model, &QAbstractItemModel::modelReset, this, &SharedColumns::fitSoon);
    connect(&model, &QAbstractItemModel::dataChanged, this, &SharedColumns::fitSoon);
    connect(&header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!fits_) keep(column, width);
    });
    // The table has made it as wide as its texts, which it stays from now on.
    connect(&header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) { keep(column, 0); });
    fitSoon();
}

int SharedColumns::wholeWidth() const {
    int width = 0;
    for (int column = 0; column < table_.header()->count(); ++column) width += widthOfTexts(table_, column);
    return width;
}

QJsonArray SharedColumns::widths() const {
    QJsonArray widths;
    if (kept_.empty()) return widths;
    for (int column = 0; column <= kept_.rbegin()->first; ++column)
        widths.append(kept_.contains(column) ? kept_.at(column) : 0);
    return widths;
}

void SharedColumns::setWidths(const QJsonArray& widths) {
    kept_.clear();
    for (int column = 0; column < std::min(static_cast<int>(widths.size()), table_.header()->count()); ++column)
        if (const int width = widths[column].toInt(); width > 0)
            kept_[column] = std::clamp(width, table_.header()->minimumSectionSize(), widest_column);
    fitSoon();
}

void SharedColumns::keep(int column, int width) {
    width > 0 ? void(kept_[column] = width) : void(kept_.erase(column));
    fitSoon();
    emit widthsChanged();
}

bool SharedColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitSoon();
    return QObject::eventFilter(watched, event);
}

void SharedColumns::fitSoon() {
    if (std::exchange(fits_soon_, true)) return;
    QTimer::singleShot(0, this, &SharedColumns::fit);
}

int SharedColumns::widthOf(int column) const {
    const auto kept = kept_.find(column);
    return kept != kept_.end() ? kept->second : widthOfTexts(table_, column);
}

void SharedColumns::fit() {
    fits_soon_ = false;
    QHeaderView& header = *table_.header();
    fits_ = true;
    int room = table_.viewport()->width();
    for (int column = 0; column < header.count(); ++column) {
        if (column == first_ || column == second_) continue;
        header.resizeSection(column, widthOf(column));
        room -= header.sectionSize(column);
    }
    const int least = header.minimumSectionSize();
    int first = widthOf(first_), second = widthOf(second_);
    // A width of the user's stays; the other column has what it leaves, at least half for texts that need it.
    if (!kept_.contains(second_)) {
        const bool fits = first + second <= room;
        second = std::max(least, fits ? second : std::min(second, std::max(room / 2, room - first)));
    }
    if (!kept_.contains(first_)) first = std::max({least, std::min(first, room / 2), room - second});
    header.resizeSection(second_, second);
    header.resizeSection(first_, first);
    fits_ = false;
}

}  // namespace overlap::ui
