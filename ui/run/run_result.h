#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/graph/compilation.h"

namespace overlap::ui {

/// How one process group was run, or would be.
struct GroupRun {
    QString name;
    int size = 0;       ///< ranks in the job
    bool real = false;  ///< by NCCL; else emulated
    QString because;    ///< a clause
    qint64 collectives = 0, bytes = 0;
};

/// What overlap-runner writes (core/run/run.h, run_json()), as far as it is shown.
struct RunResult {
    bool dry = true;
    QString graph_digest;
    QStringList machines;  ///< of each rank
    std::vector<GroupRun> groups;
    qint64 commands = 0;
    qint64 pool_bytes = 0, live_peak_bytes = 0, largest_bytes = 0;
    QString live_peak_node;
    QString order_digest;
    CompiledScope compiled = CompiledScope::eager;  ///< what of the graph was run as its compiler's kernels
    double predicted_step_ms = 0, predicted_exposed_ms = 0;
    int iterations = 0;

    // Of a run on devices:
    QString device;
    double step_ms = 0, fastest_ms = 0, slowest_ms = 0;  ///< the first is the median
    std::optional<double> exposed_ms;  ///< of the recorded pass; nothing where kernels were not recorded
    qint64 peak_memory_bytes = 0;
};

/// @returns nothing where it is no result of overlap-runner.
std::optional<RunResult> readRunResult(const QByteArray& text);

/// Why a run ended with `status`, as a sentence, from what it said: the runner's own words, else the starter's.
QString failureOf(const QStringList& lines, int status);

}  // namespace overlap::ui
