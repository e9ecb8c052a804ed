#pragma once

#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <optional>

#include "core/graph/compilation.h"
#include "ui/run/run_environment.h"
#include "ui/run/run_settings.h"

namespace overlap::ui {

/// What a run reads and writes.
struct RunFiles {
    QString graph;          ///< before the plan
    QString plan;           ///< empty for the graph as it is
    QString result, trace;  ///< what the run writes
};

/// A program with its arguments; nothing goes through a shell.
struct RunCommand {
    QString program;
    QStringList arguments;
    QProcessEnvironment environment;
};

/// Why a run would not start as `settings` want it, as a sentence without full stop; empty where it would.
QString runRefusal(const RunSettings& settings, const RunEnvironment& environment, RunMode mode);

/// Starts overlap-runner, by mpirun or srun where several ranks are wanted. Only for what is not refused.
/// @param compiled what the job compiles; nothing: each operator has a kernel of its own, with times as traced.
RunCommand runCommand(const RunSettings& settings, const RunEnvironment& environment, RunMode mode,
                      const RunFiles& files, std::optional<CompiledScope> compiled = {});

}  // namespace overlap::ui
