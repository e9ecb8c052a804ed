#include "core/cost/checked_runs.h"

#include <nlohmann/json.hpp>

#include "core/cost/built_in_cost_models.h"

namespace overlap {

std::optional<CheckedRuns> checked_runs(const CostParameters& cost) {
    if (built_in_cost_model(cost.model_name)) {
        const NamedCostModel* model = built_in_cost_model(cost);
        if (!model || model->origin.checked.empty()) return std::nullopt;
        return CheckedRuns{model->origin.checked, model->origin.checked_within, true};
    }
    // The reader of graphs keeps members that it does not know, so they may be anything.
    const nlohmann::json json = nlohmann::json::parse(cost.json, nullptr, false);
    if (!json.is_object() || !json.contains("checked") || !json["checked"].is_object()) return std::nullopt;
    const nlohmann::json& checked = json["checked"];
    if (!checked.contains("with") || !checked["with"].is_string()) return std::nullopt;
    CheckedRuns runs{checked["with"].get<std::string>(), 0, false};
    if (checked.contains("within") && checked["within"].is_number()) runs.within = checked["within"].get<double>();
    return runs;
}

}  // namespace overlap
