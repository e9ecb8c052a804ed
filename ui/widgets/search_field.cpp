#include "ui/widgets/search_field.h"

#include <QDockWidget>
#include <QLineEdit>

namespace overlap::ui {
namespace {

constexpr const char* mark = "searchField";

}  // namespace

void makeSearchField(QLineEdit& field) {
    field.setProperty(mark, true);
}

QLineEdit* searchFieldBeside(QWidget* inside) {
    for (QWidget* part = inside; part && (!part->isWindow() || qobject_cast<QDockWidget*>(part));
         part = part->parentWidget()) {
        if (auto* field = qobject_cast<QLineEdit*>(part); field && field->property(mark).toBool()) return field;
        for (QLineEdit* field : part->findChildren<QLineEdit*>())
            if (field->property(mark).toBool() && field->isVisible()) return field;
        if (qobject_cast<QDockWidget*>(part)) break;
    }
    return nullptr;
}

}  // namespace overlap::ui
