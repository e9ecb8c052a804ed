#include "core/job/what_if.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_writer.h"
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
        ask_messages();
        ask_stages();
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const WhatIf& a, const WhatIf& b) { return a.step_ms < b.step_ms; });
        return std::move(rows_);
    }

  private:
    double step_of(const JobDocument& job) const {
        const JobResult result = run_job(job, options_);
        if (!result.step_ms)
            throw InputError("", "the job cannot run, so nothing can be left out; overlap job check says why");
        return *result.step_ms;
    }

    void add(std::string without, JobDocument& changed) {
        const double step_ms = step_of(changed);
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

    void ask_messages() {
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
    }

    /// A stage that is longer than the mean, with the mean's time of each action.
    void ask_stages() {
        struct Sum {
            double ms = 0, stages = 0;
            double mean() const { return ms / stages; }
        };
        std::map<std::string, Sum> sum;  // a stage may give B where others give I and W
        for (const StageSpec& stage : job_.stages) {
            if (stage.kind != StageKind::opaque) return;
            for (const auto& [kind, ms] : stage.ms) {
                sum[kind].ms += ms;
                ++sum[kind].stages;
            }
        }
        for (std::size_t i = 0; i < job_.stages.size(); ++i) {
            JobDocument changed = copy();
            bool longer = false;
            for (auto& [kind, ms] : changed.stages[i].ms) {
                longer |= ms > sum[kind].mean();
                ms = std::min(ms, sum[kind].mean());
            }
            if (!longer) continue;
            const std::string& name = job_.stages[i].name;
            std::string text = "what stage " + std::to_string(i);
            if (!name.empty()) text.append(" ").append(in_quotes(shortened(name)));
            add(text.append(" computes beyond the mean"), changed);
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
