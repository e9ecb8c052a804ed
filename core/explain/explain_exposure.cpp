// What keeps a collective exposed that the automatic pass has scheduled.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/cost/cost_model.h"
#include "core/explain/explain_schedule.h"
#include "core/explain/reached.h"
#include "core/explain/scheduled_collectives.h"
#include "core/passes/pass_support.h"
#include "core/passes/registry/registry.h"
#include "core/passes/scheduling/node_traits.h"
#include "core/plan/automatic_plan.h"

namespace overlap {

namespace {

double total_exposed_ms(const PassReport& report) {
    double total = 0;
    for (const CollectiveReport& collective : report.collectives) total += collective.exposed_ms;
    return total;
}

/// One option of the scheduler that may keep a collective exposed, and values that loosen it, the mildest first.
struct Limit {
    std::string option;
    std::vector<OptionValue> values;
};

/// Looks for what keeps one collective exposed.
class Exposure {
  public:
    Exposure(const Evaluation& evaluation, std::stop_token stop)
        : report_(*scheduler_report(evaluation.reports)), stop_(std::move(stop)) {
        if (const std::string others = times_other_than_schedulers(evaluation); !others.empty())
            say("Times in what follows are PyTorch's estimates, by which the scheduler decides, and not " + others);
        const Plan& plan = evaluation.resolved->plan;
        const std::size_t step = automatic_step(plan);
        if (step < evaluation.steps.size()) graph_ = evaluation.steps[step].given;
        options_ = plan.pipeline[step].options;
    }

    std::vector<std::string> explain(const ScheduledCollectives& scheduled) {
        if (!graph_) return {};
        // Of several collectives that were merged afterwards, the one that is exposed most represents all.
        target_ = *std::ranges::max_element(scheduled.collectives(), {}, &CollectiveReport::exposed_ms);
        const auto bucket = std::ranges::find(report_.buckets, target_->start, &BucketReport::start);
        members_ = bucket == report_.buckets.end() ? std::vector{target_->start} : bucket->members;
        if (scheduled.collectives().size() > 1) {
            say("Most of that is of " + target_->start + ", " + time_text(target_->exposed_ms));
        }
        tell_compute();
        tell_remedies();
        if (stop_.stop_requested()) return {};
        return std::move(sentences_);
    }

  private:
    void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

    /// Compute that could run at the same time.
    struct Cover {
        std::vector<NodeId> nodes;
        double sum_ms = 0;
        NodeId needed = no_node;   ///< the last compute before it that it needs, the border of the cover; or no_node
        NodeId needing = no_node;  ///< the first compute that needs its result; or no_node
    };

    /// Finds the compute that neither needs it nor is needed for it.
    void tell_compute() {
        std::vector<NodeId> starts;
        for (const std::string& member : members_) {
            if (const NodeId node = graph_->find(member); node != no_node) starts.push_back(node);
        }
        if (starts.empty()) return;
        group_ = graph_->group_name(starts.front());
        times_ms_ = node_times_ms(*graph_);
        const std::vector<scheduling::NodeTraits> traits = scheduling::node_traits(*graph_);
        const std::vector<bool> before = reached(*graph_, starts, Direction::inputs);
        const std::vector<bool> after = reached(*graph_, starts, Direction::users);
        Cover independent;
        std::size_t needed = 0, needing = 0;
        for (NodeId node = 0; node < graph_->node_count(); ++node) {
            if (before[node] && traits[node].compute) independent.needed = node;
            if (after[node] && traits[node].compute && independent.needing == no_node) independent.needing = node;
            if (!hides(node)) continue;
            needed += before[node];
            needing += after[node];
            if (before[node] || after[node]) continue;
            independent.nodes.push_back(node);
            independent.sum_ms += times_ms_[node];
        }
        if (independent.nodes.empty()) {
            return say("No compute could run while it does: " + counted(needed, "node") +
                       " of compute must run before it, and " + counted(needing, "node") + " after it");
        }
        tell_window(std::move(independent));
    }

    bool hides(NodeId node) const {
        if (graph_->op(node) != NodeOp::call_function || times_ms_[node] <= 0) return false;
        const TargetInfo& info = graph_->target_info(node);
        return info.starts == CollectiveKind::none && !info.is_wait;
    }

    /// The part of the independent compute between what the collective needs and what needs it: the scheduler never
    /// changes the order of compute.
    void tell_window(Cover cover) {
        const std::string in_all = counted(cover.nodes.size(), "node") + " of compute, " + time_text(cover.sum_ms);
        const bool is_one = cover.nodes.size() == 1;
        std::erase_if(cover.nodes, [&](NodeId node) {
            return (cover.needed != no_node && node < cover.needed) ||
                   (cover.needing != no_node && node > cover.needing);
        });
        cover.sum_ms = 0;
        for (const NodeId node : cover.nodes) cover.sum_ms += times_ms_[node];
        std::string place;
        if (cover.needed != no_node) {
            place = "behind " + std::string(graph_->name(cover.needed)) + ", which it needs";
        }
        if (cover.needing != no_node) {
            place += (place.empty() ? "before " : ", and before ") + std::string(graph_->name(cover.needing)) +
                     ", which needs it";
        }
        const bool enough = cover.sum_ms >= target_->estimated_ms;
        std::string sentence = in_all + ", " +
                               (place.empty() ? "could hide it"
                                : is_one      ? "is independent of it"
                                              : "are independent of it");
        if (!place.empty()) {
            sentence +=
                "; the scheduler keeps compute in order, and " +
                (cover.nodes.empty() ? std::string("none of them runs ")
                                     : counted(cover.nodes.size(), "node") + " of them, " + time_text(cover.sum_ms) +
                                           (cover.nodes.size() == 1 ? ", runs " : ", run ")) +
                place;
        }
        say(sentence + (enough || cover.nodes.empty() ? "" : ": less than it takes"));
        tell_rivals(cover, enough);
    }

    /// Other collectives of the group that the same compute hides: a group does one thing at a time.
    void tell_rivals(const Cover& cover, bool enough) {
        std::vector<bool> could(graph_->node_count()), taken(graph_->node_count());
        for (const NodeId node : cover.nodes) could[node] = true;
        std::vector<std::string> rivals;
        for (const CollectiveReport& collective : report_.collectives) {
            if (&collective == target_ || group_of(collective.start) != group_) continue;
            bool is_rival = false;
            for (const std::string& name : collective.hiding) {
                const NodeId node = graph_->find(name);
                if (node != no_node && could[node]) taken[node] = is_rival = true;
            }
            if (is_rival) rivals.push_back(collective.start);
        }
        if (rivals.empty()) return;
        double taken_ms = 0;
        for (const NodeId node : cover.nodes) taken_ms += taken[node] ? times_ms_[node] : 0;
        say("Of that, " + time_text(taken_ms) + " hide " + counted(rivals.size(), "other collective") +
            " of process group " + in_quotes(group_) + ", which does one at a time: " + enumerated(rivals) +
            (enough ? "; on another process group the same compute could hide it as well" : ""));
    }

    /// The process group of a collective that was scheduled.
    std::string_view group_of(const std::string& start) const {
        if (const auto bucket = std::ranges::find(report_.buckets, start, &BucketReport::start);
            bucket != report_.buckets.end()) {
            return bucket->process_group;
        }
        const NodeId node = graph_->find(start);
        return node == no_node ? std::string_view() : graph_->group_name(node);
    }

    OptionValue value_of(std::string_view option) const {
        const OptionValue* given = options_.find(option);
        return given ? *given : require_option(require_pass(automatic_pass), option).default_value;
    }

    /// Twice, four and eight times a number, then practically none; nothing where it is no limit.
    Limit loosened(std::string option, double least, double most) const {
        const OptionValue value = value_of(option);
        const std::optional<double> number = number_of(value);
        Limit limit{std::move(option), {}};
        if (!number || *number >= most) return limit;
        const auto like_value = [&](double looser) {
            const bool whole = std::holds_alternative<std::int64_t>(value);
            return whole ? OptionValue(static_cast<std::int64_t>(looser)) : OptionValue(looser);
        };
        for (double factor = 2; factor <= 8; factor *= 2) {
            const double looser = std::max(*number, least / 2) * factor;
            if (looser >= most) break;
            limit.values.push_back(like_value(looser));
        }
        limit.values.push_back(like_value(most));
        return limit;
    }

    /// All limits of the scheduler that are in effect.
    std::vector<Limit> limits() const {
        const double nodes = graph_->node_count();
        std::vector<Limit> limits = {loosened("max_in_flight_gb", 1, 1024),
                                     loosened("max_compute_pre_fetch", 16, nodes),
                                     loosened("max_coll_distance", 16, nodes)};
        if (!is_null(value_of("max_memory_increase_gb"))) {
            limits.push_back(loosened("max_memory_increase_gb", 1, 1024));
        } else if (!is_null(value_of("max_memory_increase_ratio"))) {
            limits.push_back(loosened("max_memory_increase_ratio", 0.125, 128));
        }
        if (*number_of(value_of("compute_overlap_multipler")) < 1)
            limits.push_back({"compute_overlap_multipler", {1.0}});
        if (!is_null(value_of("max_off_bucket_gb"))) limits.push_back({"max_off_bucket_gb", {OptionValue()}});
        if (value_of("prioritize_bucketing_during_scheduling") == OptionValue(true)) {
            limits.push_back({"prioritize_bucketing_during_scheduling", {false}});
        }
        // Parts of a bucket may be hidden where the whole is not.
        if (members_.size() > 1) limits.push_back({"pre_bucketing_fsdp_collectives", {false}});
        std::erase_if(limits, [](const Limit& limit) { return limit.values.empty(); });
        return limits;
    }

    /// The result for the collective with other options; nothing where PyTorch would raise, or when stopped.
    std::optional<PassReport> attempt(const Options& changes) const {
        Options options = options_;
        options.update(changes);
        options["collective_bucketing"] = false;  // merging comes after scheduling and does not change its figures
        options["insert_overlap_deps"] = false;
        try {
            PassResult result = require_pass(automatic_pass).run(graph_, options, stop_);
            return result.graph ? std::optional(std::move(result.report)) : std::nullopt;
        } catch (const InputError&) {
            return std::nullopt;
        }
    }

    ScheduledCollectives targets(const PassReport& report) const {
        ScheduledCollectives scheduled(report);
        for (const std::string& member : members_) scheduled.add(member);
        return scheduled;
    }

    bool helps(const std::optional<PassReport>& report) const {
        return report &&
               targets(*report).exposed_ms() < target_->exposed_ms - ignored_share_of_time * target_->estimated_ms;
    }

    void tell_remedies() {
        bool told = false;
        Options all;
        for (const Limit& limit : limits()) {
            all[limit.option] = limit.values.back();
            std::optional<PassReport> best = attempt({{limit.option, limit.values.back()}});
            if (!helps(best)) continue;
            OptionValue value = limit.values.back();
            for (const OptionValue& milder : limit.values) {
                std::optional<PassReport> report = attempt({{limit.option, milder}});
                if (!report || targets(*report).exposed_ms() > targets(*best).exposed_ms()) continue;
                best = std::move(report);
                value = milder;
                break;
            }
            say("With " + limit.option + " " + value_text(value, value == limit.values.back()) + " " + outcome(*best));
            told = true;
        }
        if (told || stop_.stop_requested()) return;
        const std::optional<PassReport> lifted = attempt(all);
        std::string names;
        for (const auto& [option, value] : all) names.append(names.empty() ? "" : ", ").append(option);
        if (helps(lifted)) return say("With all limits of the scheduler lifted (" + names + ") " + outcome(*lifted));
        say("Lifting the scheduler's limits, each and all at once, changes nothing for it: " + names);
    }

    static std::string value_text(const OptionValue& value, bool last) {
        if (is_null(value)) return "unset";
        if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
        return last ? "lifted (" + describe(value) + ")" : describe(value);
    }

    /// `it is hidden behind mm_3; all collectives together are then exposed 1.2 s instead of 1.3 s`.
    std::string outcome(const PassReport& report) const {
        const ScheduledCollectives scheduled = targets(report);
        const std::vector<std::string> hiding = scheduled.hiding();
        std::string text = scheduled.is_exposed() ? "only " + time_text(scheduled.exposed_ms()) + " of it stay exposed"
                                                  : "it is hidden";
        if (!hiding.empty()) text += ", behind " + enumerated(hiding);
        const double now_ms = total_exposed_ms(report_), then_ms = total_exposed_ms(report);
        if (std::abs(then_ms - now_ms) <= ignored_share_of_time * now_ms) {
            return text + "; all collectives together stay exposed as long as now";
        }
        return text + "; all collectives together are then exposed " + time_text(then_ms) + " instead of " +
               time_text(now_ms);
    }

    const PassReport& report_;
    std::stop_token stop_;
    std::shared_ptr<const Graph> graph_;  ///< that the scheduler was given
    Options options_;
    const CollectiveReport* target_ = nullptr;
    std::vector<std::string> members_;  ///< what it is made of, in graph_
    std::string_view group_;
    std::vector<double> times_ms_;  ///< of graph_
    std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> explain_exposure(const Evaluation& evaluation, std::string_view collective,
                                          std::stop_token stop) {
    const std::optional<ScheduledCollectives> scheduled = find_scheduled(evaluation, collective);
    if (!scheduled || !scheduled->is_exposed()) return {};
    return Exposure(evaluation, std::move(stop)).explain(*scheduled);
}

}  // namespace overlap
