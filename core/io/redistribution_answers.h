#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/io/measured_times_file.h"
#include "core/io/redistribution_cases.h"

namespace overlap {

/// Answers cases of core/io/redistribution_cases.h as `overlap redistribute` writes them: `plans` by name, the strategy
/// cost, and the cost of every plan on one scale. Planners are kept from case to case as long as mesh and tensor stay
/// the same.
class RedistributionAnswers {
  public:
    /// @param costs measured times used to find the optimal plans, in place of torch's topology.
    explicit RedistributionAnswers(std::optional<MeasuredTable> costs = std::nullopt);
    ~RedistributionAnswers();

    nlohmann::ordered_json answer(const MeshCase& question);

  private:
    class Planners;
    nlohmann::ordered_json plans_of(const RedistributionCase& question);

    std::optional<MeasuredTable> costs_;
    std::unique_ptr<Planners> planners_;
};

}  // namespace overlap
