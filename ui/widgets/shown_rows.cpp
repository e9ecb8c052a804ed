#include "ui/widgets/shown_rows.h"

#include <QAbstractItemView>
#include <QPersistentModelIndex>

namespace overlap::ui {

void changeShownRows(QAbstractItemView& view, const std::function<void()>& change) {
    const QPersistentModelIndex current(view.currentIndex());
    change();
    if (current.isValid()) return view.scrollTo(current);
    if (view.currentIndex().isValid()) view.selectionModel()->clear();
    view.scrollToTop();
}

}  // namespace overlap::ui
