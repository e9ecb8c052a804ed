#pragma once

#include <nlohmann/json.hpp>

#include "core/io/redistribution_cases.h"

namespace overlap::commands {

/// Answers cases, in the shape of the files that the cases come from: `plans` by name, the strategy cost, and what
/// every way costs on one scale. Planners are kept from case to case as long as mesh and tensor stay the same.
class RedistributionResults {
  public:
    RedistributionResults();
    ~RedistributionResults();

    nlohmann::ordered_json answer(const MeshCase& question);

  private:
    class Planners;
    nlohmann::ordered_json plans_of(const RedistributionCase& question);

    std::unique_ptr<Planners> planners_;
};

}  // namespace overlap::commands
