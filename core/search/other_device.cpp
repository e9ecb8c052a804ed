#include "core/search/other_device.h"

#include <utility>

#include "core/base/error.h"
#include "core/cost/built_in_cost_models.h"
#include "core/cost/shared_links.h"
#include "core/cost/with_cost_model.h"

namespace overlap {

OtherDevice::OtherDevice(const std::shared_ptr<const Graph>& graph, bool any_order, std::stop_token stop)
    : stop_(std::move(stop)) {
    const NamedCostModel* const usual = built_in_cost_model("h100-sxm");
    const NamedCostModel* const own = graph->header().cost ? built_in_cost_model(*graph->header().cost) : nullptr;
    const NamedCostModel* const other = own == usual ? built_in_cost_model("b200-sxm") : usual;
    if (!other) return;
    try {
        const auto there = with_shared_links(with_cost_model(graph, *other).graph, LinkSharing::by_host);
        std::shared_ptr<const StepWork> work = step_work(there, nullptr, stop_);
        if (work->obstacle.empty()) evaluator_.emplace(there, std::move(work), nullptr, any_order);
    } catch (const InputError&) {
        evaluator_.reset();  // it says nothing of this graph
    }
}

bool OtherDevice::runs(const Plan& plan) const {
    return evaluator_ && evaluator_->evaluate(plan, {}, stop_).usable();
}

}  // namespace overlap
