#pragma once

#include <QString>
#include <exception>

namespace overlap::ui {

/// Why a task failed, in one sentence without full stop: what the exception says, or that there is a lack of memory,
/// of which the exception says only its name.
QString reasonOf(const std::exception& error);

}  // namespace overlap::ui
