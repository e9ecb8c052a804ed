#include "ui/widgets/flat_table.h"

#include <QHeaderView>
#include <QTreeView>

namespace overlap::ui {

void makeFlatTable(QTreeView& view, const QString& name) {
    view.setAccessibleName(name);
    view.setRootIsDecorated(false);
    view.setUniformRowHeights(true);
    view.setAllColumnsShowFocus(true);
    view.setFrameShape(QFrame::NoFrame);
    view.setMinimumHeight(lowest_table);
    view.header()->setSectionsMovable(false);
    view.header()->setStretchLastSection(false);
}

}  // namespace overlap::ui
