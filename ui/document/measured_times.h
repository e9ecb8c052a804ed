#pragma once

#include <QStringList>
#include <memory>

#include "core/pipeline/evaluation.h"
#include "core/views/module_figures.h"

namespace overlap::ui {

/// What figures of an open graph use in place of its own times: times of a job, or contention. Also what follows from
/// them for the graph without any pass. Immutable, shared.
struct MeasuredTimes {
    QStringList files;  ///< traces that they were read from, one a rank; none of contention
    std::shared_ptr<const TimeSource> source;
    std::shared_ptr<const Evaluation> baseline;
    std::shared_ptr<const ModuleFiguresTable> module_figures;

    QString name() const { return QString::fromStdString(source->name); }
};

}  // namespace overlap::ui
