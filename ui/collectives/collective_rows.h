#pragma once

#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/views/collective_figures.h"

namespace overlap::ui {

/// All collectives of an evaluation as a table shows them. Immutable, shared.
struct CollectiveRows {
    std::shared_ptr<const Evaluation> evaluation;  ///< with links shared, see withLinksShared()
    std::shared_ptr<const ModuleTree> modules;     ///< of its input
    std::vector<CollectiveFigures> figures;        ///< a row each, in order of issue
    std::vector<std::uint32_t> hues;               ///< of the plan's buckets, see bucket_hues()
    std::vector<QString> groups;                   ///< what each of Simulation::groups is for, with its name
    std::vector<QString> search;                   ///< of each row, in lower case: every text that a filter looks at

    const CollectiveTiming& timing(std::size_t row) const { return evaluation->simulation.collectives[row]; }
    void addTo(CollectiveSums& sums, std::size_t row) const { sums.add(timing(row), figures[row]); }
    /// The row of the collective that a node of the result starts or waits for, or that a node of the input was merged
    /// into; -1 for any other node.
    int rowOf(const QString& node) const;
};

/// Takes some milliseconds, of large graphs longer: for worker threads.
/// @returns null when stopped.
std::shared_ptr<const CollectiveRows> collectiveRows(std::shared_ptr<const Evaluation> evaluation,
                                                     std::shared_ptr<const ModuleTree> modules, std::stop_token stop);

/// `all-gather`, as it is usually written.
QString kindText(CollectiveKind kind);
/// `window too short`; empty where nothing is exposed.
QString causeText(ExposureCause cause);

}  // namespace overlap::ui
