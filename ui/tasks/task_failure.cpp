#include "ui/tasks/task_failure.h"

#include <QCoreApplication>
#include <new>
#include <stdexcept>

namespace overlap::ui {

QString reasonOf(const std::exception& error) {
    // What is longer than any memory is refused before memory is asked for.
    if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error))
        return QCoreApplication::translate(
            "LatestTask", "There is not enough memory for this; close other graphs or programs and try again");
    return QString::fromUtf8(error.what());
}

}  // namespace overlap::ui
