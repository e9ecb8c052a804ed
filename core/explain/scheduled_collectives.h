#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/pass.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// Of a time, such as a collective's: a smaller part of it that is exposed, or changes, counts as nothing.
inline constexpr double ignored_share_of_time = 0.01;

/// What the automatic pass reports; null where it did not run.
const PassReport* scheduler_report(std::span<const PassReport> reports);

/// What the scheduler had in place of some collectives: themselves, or what they were merged into beforehand.
class ScheduledCollectives {
  public:
    /// @param report of the automatic pass; outlives this object.
    explicit ScheduledCollectives(const PassReport& report) : report_(report) {}

    /// Adds what it had in place of a collective of its input or of its result, each once.
    void add(const std::string& name);

    const std::vector<const CollectiveReport*>& collectives() const { return collectives_; }
    double exposed_ms() const { return sum(&CollectiveReport::exposed_ms); }
    double estimated_ms() const { return sum(&CollectiveReport::estimated_ms); }
    bool is_exposed() const { return exposed_ms() > ignored_share_of_time * estimated_ms(); }
    /// Nodes that hide any of them.
    std::vector<std::string> hiding() const;

  private:
    bool is_scheduled(const std::string& name) const;
    double sum(double CollectiveReport::*value) const;

    const PassReport& report_;
    std::vector<const CollectiveReport*> collectives_;
};

/// What the scheduler had in place of a collective of the evaluation's input or of its result; nothing where it did not
/// run or had nothing.
std::optional<ScheduledCollectives> find_scheduled(const Evaluation& evaluation, std::string_view collective);

/// What the evaluation's figures are of, where not of the times by which the scheduler decides, such as `those of the
/// trace x.json`; else empty.
std::string times_other_than_schedulers(const Evaluation& evaluation);

}  // namespace overlap
