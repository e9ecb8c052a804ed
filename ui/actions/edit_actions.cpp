#include "ui/actions/edit_actions.h"

#include <QApplication>
#include <QLineEdit>

#include "ui/actions/edit_history.h"
#include "ui/frame/actions.h"
#include "ui/modules/modules_panel.h"
#include "ui/widgets/search_field.h"

namespace overlap::ui {
namespace {

QString text(const char* words) {
    return QCoreApplication::translate("EditActions", words);
}

}  // namespace

void registerEditActions(Actions& actions, EditHistory& history, ModulesPanel& modules) {
    const QString edit = text("Edit");
    QAction* undo = history.makeUndoAction(&actions);
    undo->setShortcuts(QKeySequence::Undo);
    undo->setIconText(text("Undo"));
    actions.adopt("edit.undo", edit, undo, text("Undo the last edit of this plan or of the timeline"));
    QAction* redo = history.makeRedoAction(&actions);
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    redo->setIconText(text("Redo"));
    actions.adopt("edit.redo", edit, redo, text("Do again what was undone"));
    ModulesPanel* const panel = &modules;
    actions.add("edit.find", edit, text("&Find"),
                text("Search the panel or view that has the keys; where there is nothing to search, the modules"),
                {QKeySequence::Find, QKeySequence(Qt::Key_Slash)}, [panel] {
                    QLineEdit* field = searchFieldBeside(QApplication::focusWidget());
                    if (!field) {
                        panel->parentWidget()->show();
                        field = panel->searchField();
                    }
                    field->setFocus();
                    field->selectAll();
                });
}

}  // namespace overlap::ui
