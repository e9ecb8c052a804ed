#include "core/job/what_if.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_writer.h"
#include "core/job/job_changes.h"
#include "core/job/run_job.h"
#include "core/job/variation.h"

namespace overlap::job {

namespace {

/// As many slow entries are left out one by one, the greatest factors.
constexpr std::size_t most_slow = 64;

class Questions {
  public:
    Questions(const JobDocument& job, const PipelineOptions& options) : job_(job), options_(options) {
        JobDocument plain = job;
        plain.variation = without_draws(job);
        step_ms_ = step_of(plain);
    }

    std::vector<WhatIf> ask() {
        ask_slow();
        ask_slow_together();
        ask_communication();
        ask_routing();
        if (std::ranges::all_of(job_.stages, [](const StageSpec& stage) { return stage.kind == StageKind::opaque; })) {
            ask_opaque_stages();
        } else {
            ask_stages();
        }
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const WhatIf& a, const WhatIf& b) { return a.step_ms < b.step_ms; });
        return std::move(rows_);
    }

  private:
    double step_of(const JobDocument& job) const { return step_of(job, options_); }
    static double step_of(const JobDocument& job, const PipelineOptions& options) {
        const JobResult result = run_job(job, options);
        if (!result.step_ms)
            throw InputError("", "the job cannot run, so nothing can be left out; overlap job check says why");
        return *result.step_ms;
    }

    void add(std::string without, const JobDocument& changed) { add(std::move(without), changed, options_); }
    void add(std::string without, const JobDocument& changed, const PipelineOptions& options) {
        const double step_ms = step_of(changed, options);
        rows_.push_back({std::move(without), step_ms, step_ms_ > 0 ? 1 - step_ms / step_ms_ : 0});
    }

    JobDocument copy() const {
        JobDocument changed = job_;
        changed.variation = without_draws(job_);
        return changed;
    }

    void ask_slow() {
        if (!job_.variation) return;
        const std::vector<SlowSpec>& slow = job_.variation->slow;
        std::vector<std::size_t> order(slow.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return slow[a].factor > slow[b].factor; });
        if (order.size() > most_slow) order.resize(most_slow);
        for (const std::size_t i : order) {
            JobDocument changed = copy();
            changed.variation->slow.erase(changed.variation->slow.begin() + static_cast<std::ptrdiff_t>(i));
            std::string text = "slow";
            if (slow[i].rank) text.append(" rank ").append(std::to_string(*slow[i].rank));
            if (slow[i].replica) text.append(" replica ").append(std::to_string(*slow[i].replica));
            if (slow[i].replica && slow[i].stage) text.append(",");
            if (slow[i].stage) text.append(" stage ").append(std::to_string(*slow[i].stage));
            add(std::move(text), changed);
        }
        if (slow.size() > 1) {
            JobDocument changed = copy();
            changed.variation->slow.clear();
            add("anything slow", changed);
        }
    }

    /// Slow entries of one stage, one replica, one host, where it has several but not all.
    void ask_slow_together() {
        if (!job_.variation || job_.variation->slow.size() < 2) return;
        const std::vector<SlowSpec>& slow = job_.variation->slow;
        std::map<std::string, std::vector<std::size_t>> together;
        const CheckedSchedule schedule = job_schedule(job_, options_.folder);
        const Replicas replicas(job_, static_cast<std::int32_t>(schedule.lists.size()), schedule.rank_of_stage);
        const std::int64_t host_ranks = job_.topology.empty() ? 0 : job_.topology.front().ranks;
        for (std::size_t i = 0; i < slow.size(); ++i) {
            if (slow[i].stage) together["slow stage " + std::to_string(*slow[i].stage)].push_back(i);
            if (slow[i].replica) together["slow replica " + std::to_string(*slow[i].replica)].push_back(i);
            if (slow[i].rank)
                together["slow replica " + std::to_string(replicas.place_of(*slow[i].rank).replica)].push_back(i);
            if ((!slow[i].rank && (!slow[i].stage || !slow[i].replica)) || host_ranks == 0) continue;
            const std::int64_t rank =
                slow[i].rank ? *slow[i].rank
                             : replicas.rank_of(*slow[i].replica,
                                                schedule.rank_of_stage[static_cast<std::size_t>(*slow[i].stage)]);
            const std::int64_t first = rank / host_ranks * host_ranks;
            together["slow ranks " + std::to_string(first) + " to " + std::to_string(first + host_ranks - 1)].push_back(
                i);
        }
        std::size_t asked = 0;
        for (const auto& [name, entries] : together) {
            if (entries.size() < 2 || entries.size() == slow.size() || ++asked > most_slow) continue;
            JobDocument changed = copy();
            for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
                changed.variation->slow.erase(changed.variation->slow.begin() + static_cast<std::ptrdiff_t>(*entry));
            add("all of " + name, changed);
        }
    }

    void ask_communication() {
        if (job_.transfer) {
            JobDocument changed = copy();
            changed.transfer = TransferSpec();
            add("time of messages", changed);
        }
        JobDocument changed = copy();
        bool any = false;
        for (StageSpec& stage : changed.stages) {
            any |= stage.gradient_sync_ms.value_or(0) > 0 || stage.gradient_sync_bytes.value_or(0) > 0;
            stage.gradient_sync_ms.reset();
            stage.gradient_sync_bytes.reset();
        }
        if (any) add("gradient collectives", changed);
        ask_communication_within();
    }

    /// What stages expose within their actions: collectives of segments, and what a graph's step waits for.
    void ask_communication_within() {
        JobDocument changed = copy();
        bool any = false;
        for (StageSpec& stage : changed.stages) {
            any |= stage.kind == StageKind::graph;
            for (auto& [kind, segments] : stage.segments) {
                for (Segment& segment : segments) {
                    if (segment.collective.empty()) continue;
                    any = true;
                    segment.ms = 0;
                    segment.bytes.reset();
                }
            }
        }
        if (!any) return;
        PipelineOptions options = options_;
        if (options_.evaluator) {
            options.evaluator = [this](const StageSpec& stage, std::size_t number) {
                GraphStageTimes times = options_.evaluator(stage, number);
                times.forward.fixed_ms = times.backward.fixed_ms = 0;
                for (auto& [kind, piece] : times.others) piece.fixed_ms = 0;
                return times;
            };
        }
        add("communication within stages", changed, options);
    }

    /// Experts that receive more tokens than others compute longer, and those of all other ranks wait for them.
    void ask_routing() {
        if (!job_.routing || job_.routing->share.empty()) return;
        const auto [least, most] = std::ranges::minmax(job_.routing->share);
        if (least == most) return;
        JobChanges even;
        even.routing = TriedRouting::even;
        add("uneven routing of tokens", changed_job(copy(), even, options_.folder));
    }

    std::string stage_text(std::size_t number) const {
        std::string text = "what stage " + std::to_string(number);
        const std::string& name = job_.stages[number].name;
        if (!name.empty()) text.append(" ").append(in_quotes(shortened(name)));
        return text.append(" computes beyond the mean");
    }

    /// A stage that is longer than the mean, with the mean's time of each action; and each kind of action.
    void ask_opaque_stages() {
        struct Sum {
            double ms = 0, stages = 0;
            double mean() const { return ms / stages; }
        };
        std::map<std::string, Sum> sum;  // a stage may give B where others give I and W
        for (const StageSpec& stage : job_.stages) {
            for (const auto& [kind, ms] : stage.ms) {
                sum[kind].ms += ms;
                ++sum[kind].stages;
            }
        }
        // Where any of these times is beyond the mean.
        const auto ask = [&](std::string text, const auto& is_asked) {
            JobDocument changed = copy();
            bool longer = false;
            for (std::size_t i = 0; i < changed.stages.size(); ++i) {
                for (auto& [kind, ms] : changed.stages[i].ms) {
                    if (!is_asked(i, kind) || ms <= sum[kind].mean()) continue;
                    longer = true;
                    ms = sum[kind].mean();
                }
            }
            if (longer) add(std::move(text), changed);
        };
        for (std::size_t i = 0; i < job_.stages.size(); ++i)
            ask(stage_text(i), [i](std::size_t stage, const std::string&) { return stage == i; });
        for (const auto& [kind, times] : sum)
            ask("what " + kind + " takes beyond its mean",
                [&wanted = kind](std::size_t, const std::string& of) { return of == wanted; });
    }

    /// The same of stages that have collectives or graphs: all compute of the stage by one factor.
    void ask_stages() {
        std::vector<double> compute_ms;
        double sum_ms = 0;
        for (std::size_t i = 0; i < job_.stages.size(); ++i) {
            const StageActions actions = stage_actions(job_, i, options_.evaluator);
            double& ms = compute_ms.emplace_back(0);
            for (const ActionKind kind : {ActionKind::forward, ActionKind::full_backward})
                for (const ActionPiece& piece : actions.of(kind)) ms += piece.compute_ms;
            sum_ms += ms;
        }
        const double mean_ms = sum_ms / static_cast<double>(job_.stages.size());
        for (std::size_t i = 0; i < job_.stages.size(); ++i) {
            if (compute_ms[i] <= mean_ms) continue;
            JobDocument changed = copy();
            if (!changed.variation) changed.variation.emplace();
            changed.variation->slow.push_back({{}, static_cast<std::int32_t>(i), mean_ms / compute_ms[i]});
            add(stage_text(i), changed);
        }
    }

    const JobDocument& job_;
    const PipelineOptions& options_;
    double step_ms_ = 0;
    std::vector<WhatIf> rows_;
};

}  // namespace

std::vector<WhatIf> what_ifs(const JobDocument& job, const PipelineOptions& options) {
    if (job.has_programs) throw InputError("programs", "what stages and messages cost is told of a job of stages");
    return Questions(job, options).ask();
}

std::string what_ifs_json(const std::vector<WhatIf>& rows) {
    JsonWriter json;
    json.begin_array();
    for (const WhatIf& row : rows) {
        json.begin_object().member("without", std::string_view(row.without)).member("step_ms", row.step_ms);
        json.member("saved_share", row.saved_share).end_object();
    }
    json.end_array();
    return json.take();
}

}  // namespace overlap::job
