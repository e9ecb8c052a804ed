#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/job_evaluation.h"

namespace overlap::job {

/// Ranks that do the same, as views list them: a class of replicas on a pipeline rank, or the rank of a program.
struct RankRow {
    std::vector<std::int64_t> ranks;   ///< ascending
    std::vector<std::int32_t> stages;  ///< that they run; of programs empty
    std::size_t of_class = 0;          ///< of replicas; of programs the program
    std::int32_t pipeline_rank = 0;
    double factor = 1;  ///< the greatest that slows the compute of a stage of theirs
    /// `Stage 3`, `Stage 3 ×1.05`, and `Rank 3 · stage 3` where other ranks have that stage, too;
    std::string title, subtitle;  ///< `ranks 3, 11 and 62 more`
};

/// One row for each class of ranks of a job: a pipeline after the other, each from its first stage on.
std::vector<RankRow> rank_rows(const JobEvaluation& evaluation);

/// The row of a node: index of rank_rows().
std::size_t row_of(const JobEvaluation& evaluation, NodeIndex node);

}  // namespace overlap::job
