#pragma once

#include <QString>
#include <algorithm>
#include <memory>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "ui/measure/measurement.h"

namespace overlap::ui {

/// What a part of a timeline's references represent: nodes of an evaluation, or events of a measurement.
struct ShownPart {
    std::uint32_t first_reference = 0;
    std::shared_ptr<const Evaluation> evaluation;    ///< null where it is a measurement
    std::shared_ptr<const Measurement> measurement;  ///< null where it is an evaluation
};

/// A timeline that is no plan's: of a measurement, or of two steps, one below the other.
struct ShownTimeline {
    std::shared_ptr<const Timeline> timeline;
    QString caption;
    QString memory_of;             ///< whose memory the curve shows; empty where there is but one
    std::vector<ShownPart> parts;  ///< by first_reference

    /// The part that a reference is of.
    const ShownPart& partOf(std::uint32_t reference) const {
        std::size_t part = parts.size() - 1;
        while (parts[part].first_reference > reference) --part;
        return parts[part];
    }
};

/// Whether something of it was not measured. @param shown null: the current plan is shown.
inline bool isSimulated(const ShownTimeline* shown) {
    return !shown || std::ranges::any_of(shown->parts, [](const ShownPart& part) {
        return !part.measurement || part.measurement->isSimulated();
    });
}

}  // namespace overlap::ui
