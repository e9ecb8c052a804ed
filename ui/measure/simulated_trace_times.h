#pragma once

#include <QCoreApplication>
#include <QString>

#include "ui/measure/measurement.h"

namespace overlap::ui {

/// Why the times of a measurement cannot be those of a graph's nodes, a sentence without full stop: a simulated step
/// that was written as a trace has the bytes of collectives and no dtypes, and no shapes of operators. Empty where
/// times may be found.
inline QString noTimesToUse(const Measurement& measurement) {
    if (!measurement.isSimulated()) return {};
    return QCoreApplication::translate("TraceTimes",
                                       "The trace is a simulated step: it has no shapes to find the times of nodes by");
}

}  // namespace overlap::ui
