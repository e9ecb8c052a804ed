#include "core/cost/flop_rate.h"

#include <string>

#include "core/base/error.h"

namespace overlap {

double flop_rate(const CostParameters& cost, Dtype dtype) {
    const std::string name(dtype_info(dtype).name), otherwise = "float32";
    auto rate = cost.flops_per_s.find(name);
    if (rate == cost.flops_per_s.end()) rate = cost.flops_per_s.find(otherwise);
    if (rate == cost.flops_per_s.end()) {
        throw InputError("cost_model.device.flops_per_s",
                         "expected a rate for " + name + (name == otherwise ? "" : " or for " + otherwise));
    }
    return rate->second;
}

}  // namespace overlap
