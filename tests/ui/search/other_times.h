#pragma once

#include <memory>

#include "core/pipeline/evaluation.h"
#include "core/pipeline/time_source.h"
#include "ui/document/document.h"

namespace overlap::ui {

/// Figures of the graph are of what the source says from now on, as the menu Times makes them.
inline void useTimes(Document& document, std::shared_ptr<const TimeSource> source) {
    auto times = std::make_shared<MeasuredTimes>();
    times->source = std::move(source);
    times->baseline = evaluate_baseline(document.graph(), {}, times->source);
    times->module_figures = document.loaded().module_figures;
    document.setTimes(times);
}

inline void shareLinks(Document& document) {
    useTimes(document, modelled_source(false, std::nullopt, true));
}

}  // namespace overlap::ui
