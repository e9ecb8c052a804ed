#pragma once

#include <QString>
#include <concepts>
#include <cstdint>

#include "ui/theme/numbers.h"

namespace overlap::ui {

/// A count with the word for one or for several, in both of which `%1` is the count: "1 collective", "12 127 nodes".
QString countedText(std::integral auto count, const QString& one, const QString& several) {
    return (count == 1 ? one : several).arg(formatCount(static_cast<std::int64_t>(count)));
}

}  // namespace overlap::ui
