#pragma once

#include <QJsonObject>
#include <QString>

namespace overlap::ui {

/// Everything of a run, or its kernels left out.
enum class RunMode { dry_check, devices };

/// Where and how the plan is to be run.
struct RunSettings {
    enum class Where {
        this_machine,  ///< ranks by mpirun; a single one without it
        hosts,         ///< ranks by mpirun on named machines
        slurm,         ///< ranks by srun, on what it gives
    };
    Where where = Where::this_machine;
    int ranks = 1;
    QString hosts;   ///< names between commas or spaces, each perhaps with `:slots`; or the path of a host file
    QString folder;  ///< that other machines see, too; it holds graph, plan and result during a run
    int warm_up = 3, iterations = 20;
    bool cuda_graph = false;
    int recorded_steps = 5;
    /// Where the window's figures are of a compiled job: its kernels; else a kernel for each operator.
    bool as_compiled = true;

    static constexpr int most_ranks = 4096;
    static constexpr int most_steps = 1000000;
    static constexpr int most_recorded_steps = 1000;

    bool operator==(const RunSettings&) const = default;
};

/// For the session.
QJsonObject toJson(const RunSettings& settings);
/// What toJson() gave; what is missing or impossible is as at first.
RunSettings runSettings(const QJsonObject& kept);

}  // namespace overlap::ui
