#include "ui/tasks/task_failure.h"

#include <QCoreApplication>
#include <new>

namespace overlap::ui {

QString reasonOf(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return QCoreApplication::translate(
            "LatestTask", "There is not enough memory for this; close other graphs or programs and try again");
    return QString::fromUtf8(error.what());
}

}  // namespace overlap::ui
