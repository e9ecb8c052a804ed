#pragma once

#include <QString>

#include "core/plan/plan.h"

namespace overlap::ui {

class FileLooks;
struct SessionState;

/// The graph that is embedded in the program, as a path.
QString sampleGraph();
/// Another: a step as it is before the trainer's memory passes, which a plan's memory section can be tried on.
QString memorySampleGraph();
/// A third: a step with experts, traced so that the batch of its blocks can be halved.
QString expertsSampleGraph();
/// The plan that the embedded graph opens with.
Plan samplePlan();

/// Whether a graph, by its key, can be opened: its file is there, or it is embedded in the program.
bool isThere(const QString& graph, FileLooks& looks);

/// The graph that a plan is for, as the key of its source: among those that the session has plans of, the embedded one,
/// files that were opened before and files beside the plan. By plans and names only: reading the graphs may take long.
/// @returns empty where none is found. A graph that is found by its name may still be another.
QString findGraph(const GraphFingerprint& wanted, const QString& plan_path, const SessionState& state,
                  FileLooks& looks);

}  // namespace overlap::ui
