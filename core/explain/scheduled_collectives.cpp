#include "core/explain/scheduled_collectives.h"

#include <algorithm>
#include <utility>

#include "core/plan/automatic_plan.h"

namespace overlap {
namespace {

bool has_member(const BucketReport& bucket, const std::string& name) {
    return std::ranges::find(bucket.members, name) != bucket.members.end();
}

}  // namespace

const PassReport* scheduler_report(std::span<const PassReport> reports) {
    const auto report = std::ranges::find(reports, automatic_pass, &PassReport::pass);
    return report == reports.end() ? nullptr : &*report;
}

void ScheduledCollectives::add(const std::string& name) {
    const auto known = std::ranges::find(report_.collectives, name, &CollectiveReport::start);
    if (known != report_.collectives.end()) {
        if (std::ranges::find(collectives_, &*known) == collectives_.end()) collectives_.push_back(&*known);
        return;
    }
    // Merged before scheduling, or made by merging afterwards.
    for (const BucketReport& bucket : report_.buckets) {
        if (!has_member(bucket, name)) continue;
        if (is_scheduled(bucket.start)) return add(bucket.start);
    }
    const auto made = std::ranges::find(report_.buckets, name, &BucketReport::start);
    if (made == report_.buckets.end()) return;
    for (const std::string& member : made->members) {
        if (is_scheduled(member)) add(member);
    }
}

std::vector<std::string> ScheduledCollectives::hiding() const {
    std::vector<std::string> names;
    for (const CollectiveReport* collective : collectives_) {
        for (const std::string& name : collective->hiding) {
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
    }
    return names;
}

bool ScheduledCollectives::is_scheduled(const std::string& name) const {
    return std::ranges::find(report_.collectives, name, &CollectiveReport::start) != report_.collectives.end();
}

double ScheduledCollectives::sum(double CollectiveReport::*value) const {
    double total = 0;
    for (const CollectiveReport* collective : collectives_) total += collective->*value;
    return total;
}

std::optional<ScheduledCollectives> find_scheduled(const Evaluation& evaluation, std::string_view collective) {
    const PassReport* report = scheduler_report(evaluation.reports);
    if (!report) return std::nullopt;
    // Steps before may have merged it already.
    std::string name(collective);
    for (const PassReport* step = evaluation.reports.data(); step != report; ++step) {
        for (const BucketReport& bucket : step->buckets) {
            if (has_member(bucket, name)) name = bucket.start;
        }
    }
    ScheduledCollectives scheduled(*report);
    scheduled.add(name);
    return scheduled.collectives().empty() ? std::nullopt : std::optional(std::move(scheduled));
}

std::string times_other_than_schedulers(const Evaluation& evaluation) {
    const TimeSource* source = evaluation.time_source.get();
    if (!source) return "";
    if (source->measured()) return "those of the trace " + source->name;
    return source->compilation
               ? "those of the job that compiles " + std::string(compiled_scope_text(source->compilation->scope))
               : "";
}

}  // namespace overlap
