#include "ui/actions/overlap_actions.h"

#include <QCoreApplication>

#include "ui/actions/overlap_connection.h"
#include "ui/frame/actions.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("OverlapActions", words);
}

}  // namespace

void registerOverlapActions(Actions& actions, OverlapConnection& overlaps) {
    using Field = OverlapDialog::Field;
    const QString plan = text("Plan");
    OverlapConnection* const shown = &overlaps;
    actions.add(QStringLiteral("overlap.before"), plan, text("Overlap: start collecti&ve before…"),
                text("Start the selected collective before another node"),
                {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B)},
                [shown] { shown->editSelection(Field::start_before); });
    actions.add(QStringLiteral("overlap.behind"), plan, text("Overlap: &hide collective behind module…"),
                text("Run the selected collective behind a module's compute"),
                {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H)},
                [shown] { shown->editSelection(Field::hide_behind); });
    actions.add(QStringLiteral("overlap.remove"), plan, text("Overlap: &take back for collective"),
                text("Remove what was asked by hand of the selected collective"), {},
                [shown] { shown->removeOfSelection(); });
    const QString timeline = text("Timeline");
    actions.addViewKey(timeline, text("Drag a collective, or its end"),
                       text("Start it earlier or later; wait for it later"));
    actions.addViewKey(timeline, text("Drag it onto compute; Shift"),
                       text("Run it behind that node; behind the module there"));
}

}  // namespace overlap::ui
