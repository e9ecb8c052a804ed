#include "core/job/view/rank_rows.h"

#include <algorithm>
#include <set>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/job/rank_texts.h"

namespace overlap::job {

namespace {

constexpr std::size_t most_named_ranks = 2;

std::string stages_title(const std::vector<std::int32_t>& stages) {
    std::vector<std::string> numbers;
    for (const std::int32_t stage : stages) numbers.push_back(std::to_string(stage));
    return (stages.size() == 1 ? "Stage " : "Stages ") + listed(numbers);
}

/// The ranks of a job that cannot run: its result has none.
JobResult ranks_of(const JobEvaluation& evaluation) {
    JobResult ranks;
    if (evaluation.pipeline) {
        add_ranks(*evaluation.pipeline, ranks);
        return ranks;
    }
    std::uint32_t program = 0;
    for (const ProgramSpec& of : evaluation.programs->job->programs) ranks.ranks.push_back({of.rank, 0, 0, program++});
    return ranks;
}

RankRow pipeline_row(const JobEvaluation& evaluation, const JobResult& of_ranks, std::uint32_t figures,
                     std::vector<std::int64_t> ranks) {
    const PipelineStep& step = *evaluation.pipeline;
    RankRow row;
    row.ranks = std::move(ranks);
    row.of_class = figures / static_cast<std::uint32_t>(step.ranks());
    row.pipeline_rank = static_cast<std::int32_t>(figures % static_cast<std::uint32_t>(step.ranks()));
    row.stages = of_ranks.stages_of[static_cast<std::size_t>(row.pipeline_rank)];
    for (const std::int32_t stage : row.stages)
        row.factor = std::max(row.factor, step.replicas->factor(row.of_class, stage));
    row.title = stages_title(row.stages);
    row.subtitle = ranks_text(row.ranks, most_named_ranks);
    if (row.factor > 1) row.title += " ×" + number_text(row.factor);
    return row;
}

/// Rows that run the same stages are told apart by their ranks, which come first, where a narrow lane has room. Where
/// any are, all are named so.
void name_by_rank(std::vector<RankRow>& rows) {
    std::set<std::vector<std::int32_t>> stages;
    for (const RankRow& row : rows) stages.insert(row.stages);
    if (stages.size() == rows.size()) return;
    for (RankRow& row : rows) {
        std::string ranks = ranks_text(row.ranks, most_named_ranks);
        ranks.front() = 'R';
        row.title.front() = 's';
        row.title = ranks + " · " + row.title;
    }
}

}  // namespace

std::vector<RankRow> rank_rows(const JobEvaluation& evaluation) {
    std::vector<RankRow> rows;
    const JobResult own = evaluation.result.ranks.empty() ? ranks_of(evaluation) : JobResult();
    const JobResult& of_ranks = evaluation.result.ranks.empty() ? own : evaluation.result;
    for (auto& [figures, ranks] : ranks_of_classes(of_ranks)) {
        if (evaluation.pipeline) {
            rows.push_back(pipeline_row(evaluation, of_ranks, figures, std::move(ranks)));
            continue;
        }
        RankRow& row = rows.emplace_back();
        row.of_class = figures;
        row.title = "Rank " + std::to_string(ranks.front());
        row.ranks = std::move(ranks);
    }
    if (evaluation.pipeline) name_by_rank(rows);
    return rows;
}

std::size_t row_of(const JobEvaluation& evaluation, NodeIndex node) {
    if (!evaluation.pipeline) return evaluation.programs->graph.rank(node);
    const PipelineStep& step = *evaluation.pipeline;
    return step.class_of(node) * static_cast<std::size_t>(step.ranks()) + step.piece(node).rank;
}

}  // namespace overlap::job
