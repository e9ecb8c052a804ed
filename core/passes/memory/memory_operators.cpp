#include "core/passes/memory/memory_operators.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace overlap::memory {

namespace {

struct KnownOperator {
    std::string_view name;
    unsigned traits;
    int dropout = -1;                  ///< place of the argument `dropout_p` of a seeded operator, -1 where it has none
    bool dropout_is_optional = false;  ///< with 0 as the default
};

constexpr unsigned saved = MemoryOperators::saved, seeded = MemoryOperators::seeded;

/// torchtitan/distributed/activation_checkpoint.py, `_get_default_save_ops`, with what torch 2.15 adds
/// (torch/_functorch/partitioners.py, `get_default_op_list`, compute-intensive operators), and the overloads that have
/// torch's tag `nondeterministic_seeded`. Sorted by name.
constexpr auto known_operators = std::to_array<KnownOperator>({
    {"_c10d_functional.all_to_all_single.default", saved},
    {"_c10d_functional.reduce_scatter_tensor.default", saved},
    {"_c10d_functional.wait_tensor.default", MemoryOperators::awaits_collective},
    {offload_operator, MemoryOperators::transfer},
    {reload_operator, MemoryOperators::transfer},
    {transfer_wait_operator, MemoryOperators::transfer},
    {"aten._efficient_attention_forward.default", saved | seeded, 8},
    {"aten._flash_attention_forward.default", saved | seeded, 7},
    {"aten._flash_attention_forward.quantized", seeded, 7},
    {"aten._scaled_dot_product_attention_math.default", saved},
    {"aten._scaled_dot_product_cudnn_attention.default", saved | seeded, 5, true},
    {"aten._scaled_dot_product_cudnn_attention_backward.default", seeded, 13},
    {"aten._scaled_dot_product_efficient_attention.default", saved | seeded, 5, true},
    {"aten._scaled_dot_product_efficient_attention_backward.default", seeded, 9},
    {"aten._scaled_dot_product_flash_attention.default", saved | seeded, 3, true},
    {"aten._scaled_dot_product_flash_attention.quantized", seeded, 6, true},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", seeded, 3, true},
    {"aten._scaled_dot_product_fused_attention_overrideable.default", saved},
    {"aten._scaled_mm.default", saved},
    {"aten.addmm.default", saved},
    {"aten.bernoulli.p", seeded},
    {"aten.bernoulli_.Tensor", seeded},
    {"aten.bernoulli_.float", seeded},
    {"aten.bmm.default", saved},
    {"aten.convolution.default", saved},
    {"aten.convolution_backward.default", saved},
    {"aten.linear.default", saved | MemoryOperators::counted_product},
    {"aten.max.default", saved},
    {"aten.mm.default", saved | MemoryOperators::counted_product},
    {"aten.native_dropout.default", seeded},
    {"aten.native_dropout.out", seeded},
    {"aten.rand.generator_out", seeded},
    {"aten.rand.out", seeded},
    {"aten.randn.generator_out", seeded},
    {"aten.randn.out", seeded},
    {"aten.rrelu.default", seeded},
    {"aten.topk.default", saved},
    {"aten.upsample_bilinear2d.default", saved},
    {"higher_order.flex_attention", saved},
    {"higher_order.inductor_compiled_code", saved},
    {"operator.getitem", MemoryOperators::getitem},
    {"prims.inductor_seed.default", seeded},
    {"prims.inductor_seeds.default", seeded},
    {"rngprims.philox_rand.default", seeded},
});
static_assert(std::ranges::is_sorted(known_operators, {}, &KnownOperator::name));

/// torchtitan/experiments/graph_trainer/cpu_offload.py, `_VIEW_OPS`. Sorted.
constexpr auto view_packets = std::to_array<std::string_view>(
    {"_unsafe_view", "alias", "as_strided", "detach", "expand", "narrow", "permute", "reshape", "select", "slice",
     "split", "squeeze", "t", "transpose", "unfold", "unsqueeze", "view"});
static_assert(std::ranges::is_sorted(view_packets));

const KnownOperator* find_known(std::string_view target) {
    const auto* const known = std::ranges::lower_bound(known_operators, target, {}, &KnownOperator::name);
    return known != known_operators.end() && known->name == target ? known : nullptr;
}

bool is_view_packet(std::string_view target) {
    constexpr std::string_view space = "aten.";
    if (!target.starts_with(space)) return false;
    target.remove_prefix(space.size());
    return std::ranges::binary_search(view_packets, target.substr(0, target.find('.')));
}

/// The dropout of a call, as a number that is known without running; nothing where the argument is something else.
std::optional<double> known_number(const Value& value) {
    if (value.is(ValueKind::integer)) return static_cast<double>(value.integer);
    if (value.is(ValueKind::floating)) return value.floating;
    if (value.is(ValueKind::boolean)) return value.boolean ? 1 : 0;
    return {};
}

}  // namespace

MemoryOperators::MemoryOperators(const Graph& graph) : traits_(graph.target_count()) {
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view name = graph.target_text(target);
        const KnownOperator* known = find_known(name);
        unsigned traits = known ? known->traits : 0;
        if (is_view_packet(name)) traits |= view_packet;
        if (name.starts_with("_c10d_functional.")) traits |= collective;
        traits_[target] = static_cast<std::uint8_t>(traits);
    }
}

bool draws_random_numbers(const Graph& graph, NodeId node) {
    const KnownOperator* known = find_known(graph.target(node));
    if (!known || known->dropout < 0) return true;
    const Value* dropout = graph.argument(node, static_cast<std::size_t>(known->dropout));
    if (!dropout) dropout = graph.keyword(node, "dropout_p");
    if (!dropout) return !known->dropout_is_optional;
    return known_number(*dropout) != 0.0;
}

}  // namespace overlap::memory
