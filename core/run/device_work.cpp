#include "core/run/device_work.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/run/memory_plan.h"

namespace overlap {

namespace {

using OperandBytes = std::array<std::int64_t, product_operand_count>;

/// Where the node's own tensors are the operands: all there, and aligned. Views of a storage may begin anywhere.
void place_in_pool(const Operands& places, bool of_experts, DeviceWork& work) {
    // A bias, or what is added, stands before the two factors; where experts' rows end, and scales, stand behind them.
    const bool scaled = work.product.scaling.has_value();
    const std::size_t first = places.inputs.size() >= 3 && !of_experts && !scaled ? places.inputs.size() - 2 : 0;
    const OperandBytes bytes = operand_bytes(work.product);
    const auto place = [&](std::size_t operand, const std::vector<PoolSpan>& spans, std::size_t index) {
        if (index >= spans.size() || spans[index].bytes < bytes[operand]) return;
        if (spans[index].offset % DevicePlan::operand_alignment_bytes != 0) return;
        work.operands[operand] = {true, spans[index].offset};
    };
    place(0, places.inputs, first);
    place(1, places.inputs, first + 1);
    place(2, places.outputs, 0);
    if (work.product.adds) place(3, places.inputs, 0);
    // Kernels do not write tensors that are smaller than a word: a single scale is read where nothing changes.
    if (scaled && work.product.scaling->by_rows) {
        place(4, places.inputs, 2);
        place(5, places.inputs, 3);
    }
}

/// Whether all of an attention's tensors lie in the pool, where kernels read 16 bytes at a time.
bool lies_in_pool(const AttentionWork& attention, const std::array<PoolSpan, attention_role_count>& spans) {
    constexpr std::int64_t word = 16;
    for (std::size_t role = 0; role < spans.size(); ++role) {
        if (attention.places[role].node == no_node) continue;
        if (spans[role].bytes == 0 || spans[role].offset % word != 0) return false;
    }
    return true;
}

class WorkPlanner {
  public:
    WorkPlanner(const Program& program, const ProgramOperands& operands, const DeviceAbilities& abilities)
        : program_(program), operands_(operands), abilities_(abilities) {}

    DeviceWork plan(std::size_t index) const {
        const ComputeWork& compute = program_.compute[index];
        DeviceWork work;
        if (compute.flops <= 0) return work;
        const bool is_product = compute.of_experts || compute.compute_class == ComputeClass::matrix_multiply;
        if (is_product && has_plain_product(compute.product.dtype)) {
            work.kind = compute.of_experts ? DeviceWork::Kind::expert_product : DeviceWork::Kind::own_product;
            work.product = compute.product;
            place_in_pool(operands_.compute[index], compute.of_experts, work);
            return work;
        }
        if (compute.product.scaling && runs(compute.product)) {
            work.kind = DeviceWork::Kind::scaled_product;
            work.product = compute.product;
            place_in_pool(operands_.compute[index], false, work);
            return work;
        }
        if (compute.attention && runs(*compute.attention)) {
            work.kind = DeviceWork::Kind::attention;
            work.attention = *compute.attention;
            return work;
        }
        const StandInProduct stand_in = product_of_flops(compute.flops);
        work.kind = DeviceWork::Kind::stand_in_product;
        work.product = stand_in.product;
        work.launches = stand_in.launches;
        return work;
    }

  private:
    bool runs(std::uint32_t attention) const {
        const AttentionWork& work = program_.attentions[attention];
        if (!lies_in_pool(work, operands_.attentions[attention])) return false;
        return !abilities_.runs_attention || abilities_.runs_attention(work.shape);
    }

    bool runs(const ProductShape& product) const {
        return !abilities_.runs_scaled_product || abilities_.runs_scaled_product(product);
    }

    const Program& program_;
    const ProgramOperands& operands_;
    const DeviceAbilities& abilities_;
};

void count_fused(const Program& program, DevicePlan& plan) {
    std::vector<bool> in_kernel(program.unwritten.size());
    for (const ComputeWork& work : program.compute) {
        if (!work.kernel) continue;
        for (const NodeId member : work.kernel->members) in_kernel[member] = true;
        if (!work.is_fused()) continue;
        ++plan.fused_kernels;
        plan.fused_nodes += static_cast<std::int64_t>(work.kernel->members.size());
    }
    for (std::size_t node = 0; node < program.unwritten.size(); ++node)
        plan.inlined_nodes += program.unwritten[node] && !in_kernel[node];
}

}  // namespace

std::array<std::int64_t, product_operand_count> operand_bytes(const ProductShape& product) {
    const auto size = [&](Dtype dtype) { return dtype_info(dtype).bytes * product.batch; };
    constexpr std::int64_t scale_bytes = 4;
    const std::optional<ProductScaling>& scaling = product.scaling;
    const std::int64_t right = size(scaling ? scaling->right : product.dtype) * product.inner * product.columns;
    const std::int64_t result = size(scaling ? scaling->result : product.dtype) * product.rows * product.columns;
    OperandBytes bytes{size(product.dtype) * product.rows * product.inner, right, result, product.adds ? result : 0};
    if (scaling) {
        bytes[4] = scale_bytes * (scaling->by_rows ? product.rows : 1);
        bytes[5] = scale_bytes * (scaling->by_rows ? product.columns : 1);
    }
    return bytes;
}

bool has_plain_product(Dtype dtype) {
    const std::string_view name = dtype_info(dtype).name;
    return name == "bfloat16" || name == "float16" || name == "float32" || name == "float64";
}

StandInProduct product_of_flops(double flops) {
    constexpr std::int64_t edge = 4096, longest = 8192, step = 64;
    StandInProduct stand_in;
    stand_in.product.dtype = *dtype_by_name("bfloat16");
    // A product of edges e and inner dimension k takes 2 e e k operations; small amounts take smaller edges.
    std::int64_t side = edge;
    while (side > step && 2.0 * static_cast<double>(side) * static_cast<double>(side) * step > flops) side /= 2;
    stand_in.product.rows = stand_in.product.columns = side;
    const double inner = flops / (2.0 * static_cast<double>(side) * static_cast<double>(side));
    stand_in.launches = std::max<std::int64_t>(1, std::llround(std::ceil(inner / static_cast<double>(longest))));
    const double of_launch = inner / static_cast<double>(stand_in.launches);
    stand_in.product.inner = std::clamp<std::int64_t>(std::llround(of_launch / step) * step, step, longest);
    return stand_in;
}

DeviceWorkTotals DevicePlan::totals() const {
    DeviceWorkTotals totals;
    totals.fused_kernels = fused_kernels;
    totals.fused_nodes = fused_nodes;
    totals.inlined_nodes = inlined_nodes;
    for (const DeviceWork& work : compute) {
        switch (work.kind) {
            case DeviceWork::Kind::own_product:
                ++totals.own_products;
                break;
            case DeviceWork::Kind::scaled_product:
                ++totals.scaled_products;
                break;
            case DeviceWork::Kind::expert_product:
                ++totals.expert_products;
                break;
            case DeviceWork::Kind::attention:
                ++totals.attentions;
                break;
            case DeviceWork::Kind::stand_in_product:
                ++totals.stand_in_products;
                break;
            case DeviceWork::Kind::moved_bytes:
                ++totals.moved_bytes;
                break;
        }
    }
    return totals;
}

DevicePlan plan_device_work(const Program& program, const ProgramOperands& operands, const DeviceAbilities& abilities) {
    DevicePlan plan;
    count_fused(program, plan);
    const WorkPlanner planner(program, operands, abilities);
    std::int64_t accumulators = 0;
    plan.compute.reserve(program.compute.size());
    // Nodes run one after the other, so they share the scratch memory: a part for each of the operands.
    OperandBytes largest{};
    for (std::size_t index = 0; index < program.compute.size(); ++index) {
        plan.compute.push_back(planner.plan(index));
        const DeviceWork& work = plan.compute.back();
        if (work.kind == DeviceWork::Kind::attention) {
            const AttentionShape& shape = program.attentions[work.attention].shape;
            accumulators = std::max(accumulators, attention_accumulators(shape).bytes);
        }
        if (!work.is_product()) continue;
        const OperandBytes bytes = operand_bytes(work.product);
        for (std::size_t operand = 0; operand < bytes.size(); ++operand) {
            if (!work.operands[operand].in_pool) largest[operand] = std::max(largest[operand], bytes[operand]);
        }
    }
    OperandBytes starts{};
    for (std::size_t operand = 0; operand < largest.size(); ++operand) {
        starts[operand] = plan.scratch_bytes;
        plan.scratch_bytes += aligned_bytes(largest[operand]);
    }
    plan.scratch_bytes = std::max(plan.scratch_bytes, accumulators);
    for (DeviceWork& work : plan.compute) {
        for (std::size_t operand = 0; operand < starts.size(); ++operand) {
            if (!work.operands[operand].in_pool) work.operands[operand].offset = starts[operand];
        }
    }
    return plan;
}

}  // namespace overlap
