#pragma once

#include <vector>

#include "core/bound/step_parts.h"
#include "ui/inspector/inspector_content.h"

namespace overlap::ui {

/// A bound of the step, with the plans that it is for.
struct NamedBound {
    QString plans;
    double bound_ms = 0;
};

/// What the step of an evaluated plan is made of beside the bounds that hold for it: compute of every plan, compute
/// that other plans save, with its nodes, and waiting, with the collectives that are waited for longest.
InspectorContent describeStep(const Evaluation& evaluation, const StepParts& parts,
                              const std::vector<NamedBound>& bounds);

/// Whether describeStep() made it.
bool isOfStep(const InspectorContent& content);

}  // namespace overlap::ui
