#include "app/job/job_text.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/job/step/reached.h"

namespace overlap::commands {

namespace {

using job::JobResult;
using job::RankFigures;
using job::RankResult;

std::string share_text(double part, double whole) {
    return whole > 0 ? percent_text(part / whole * 100) : "-";
}

std::string stages_text(const JobResult& result, const RankResult& rank) {
    std::string text;
    if (!result.of_programs)
        for (const std::int32_t stage : result.stages_of[static_cast<std::size_t>(rank.stage)])
            text.append(text.empty() ? "" : " ").append(std::to_string(stage));
    return text;
}

/// What is left of the step: a rank that is done waits for nobody.
double without_work_ms(const RankFigures& figures, double step_ms) {
    return std::max(0.0, step_ms - figures.busy_ms - figures.waiting_for_peers_ms - figures.transfer_exposed_ms);
}

/// One line for each class of ranks, the first rank of it and how many there are.
void write_ranks(std::ostream& out, const JobResult& result, std::size_t rows) {
    std::vector<const RankResult*> first(result.classes.size(), nullptr);
    std::vector<std::size_t> count(result.classes.size(), 0);
    std::vector<std::uint32_t> order;
    for (const RankResult& rank : result.ranks) {
        if (!first[rank.figures]) {
            first[rank.figures] = &rank;
            order.push_back(rank.figures);
        }
        ++count[rank.figures];
    }
    std::vector<std::string> header = {"rank", "ranks alike"};
    if (!result.of_programs) header.insert(header.end(), {"replica", "stages"});
    header.insert(header.end(), {"computes", "of step", "waits for peers", "transfer exposed", "nothing left to do"});
    TextTable table(header);
    for (std::size_t i = 0; i < order.size() && i < rows; ++i) {
        const RankResult& rank = *first[order[i]];
        const RankFigures& figures = result.classes[order[i]];
        std::vector<std::string> cells = {std::to_string(rank.rank), std::to_string(count[order[i]])};
        if (!result.of_programs) cells.insert(cells.end(), {std::to_string(rank.replica), stages_text(result, rank)});
        cells.insert(cells.end(),
                     {milliseconds_text(figures.busy_ms), share_text(figures.busy_ms, *result.step_ms),
                      milliseconds_text(figures.waiting_for_peers_ms), milliseconds_text(figures.transfer_exposed_ms),
                      milliseconds_text(without_work_ms(figures, *result.step_ms))});
        table.add(std::move(cells));
    }
    table.write(out);
    if (order.size() > rows) out << "  and " << order.size() - rows << " more kinds of ranks; --rows shows more\n";
}

void write_path(std::ostream& out, const JobResult& result, std::size_t rows) {
    if (result.critical_path.empty()) return;
    // What each rank and kind of operation has of the step says more than hundreds of stretches.
    std::map<std::int64_t, double> of_rank;
    for (const job::PathStep& step : result.critical_path) of_rank[step.rank] += step.end_ms - step.start_ms;
    out << "critical path, " << result.critical_path.size() << " stretches; ";
    std::vector<std::pair<double, std::int64_t>> shares;
    for (const auto& [rank, ms] : of_rank) shares.emplace_back(-ms, rank);
    std::sort(shares.begin(), shares.end());
    for (std::size_t i = 0; i < shares.size() && i < 3; ++i)
        out << (i ? ", " : "") << share_text(-shares[i].first, *result.step_ms) << " on rank " << shares[i].second;
    out << '\n';
    TextTable table({"operation", "rank", "start", "end", "why"});
    for (std::size_t i = 0; i < result.critical_path.size() && i < rows; ++i) {
        const job::PathStep& step = result.critical_path[i];
        table.add({name_text(step.op), std::to_string(step.rank), milliseconds_text(step.start_ms),
                   milliseconds_text(step.end_ms), name_text(step.why, longest_sentence)});
    }
    table.write(out);
    if (result.critical_path.size() > rows)
        out << "  and " << result.critical_path.size() - rows << " more; --rows shows more, --json all\n";
}

}  // namespace

void write_job_problems(std::ostream& out, const JobResult& result) {
    for (const job::JobProblem& problem : result.problems)
        out << problem_kind_name(problem.kind) << ": " << one_line(problem.message) << '\n';
    if (!result.reached.empty()) out << "until then " << one_line(job::reached_text(result)) << '\n';
}

void write_job_text(std::ostream& out, const job::JobDocument& job, const JobResult& result, std::size_t rows) {
    if (!job.name.empty()) out << name_text(job.name) << '\n';
    write_job_problems(out, result);
    if (!result.step_ms) {
        out << "step       none: the job cannot run\n";
        return;
    }
    const RankFigures sum = result.sum_of_ranks();
    const double all = *result.step_ms * static_cast<double>(result.ranks.size());
    out << "step       " << milliseconds_text(*result.step_ms) << '\n'
        << "ranks      " << result.ranks.size() << ", which compute " << share_text(sum.busy_ms, all)
        << " of the time, wait " << share_text(sum.waiting_for_peers_ms, all) << " for peers and "
        << share_text(sum.transfer_exposed_ms, all) << " for transfers, and have nothing left to do for "
        << share_text(without_work_ms(sum, all), all) << '\n';
    if (result.spread) {
        out << "variation  of " << counted(static_cast<std::size_t>(result.spread->samples), "draw") << ": median "
            << milliseconds_text(result.spread->p50_ms) << ", 90 % within " << milliseconds_text(result.spread->p90_ms)
            << ", 99 % within " << milliseconds_text(result.spread->p99_ms) << '\n';
    }
    write_ranks(out, result, rows);
    write_path(out, result, rows);
}

}  // namespace overlap::commands
