#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace overlap {

/// What the passes and the cost model know of an operator. From torch 2.15's registries (resources/operators).
struct OperatorTraits {
    bool view : 1 = false;     ///< returns an alias of an argument and writes none
    bool cheap : 1 = false;    ///< a view or pointwise
    bool fusible : 1 = false;  ///< Inductor lowers it and can fuse it
    bool compute : 1 = false;  ///< torch's flop counter has a formula for it
};

/// Whether a call may be dropped when its result has no users (torch `Node.is_impure`, random numbers included).
enum class SideEffects : std::uint8_t {
    none,
    some,     ///< writes an argument, draws random numbers, waits, asserts, ...
    unknown,  ///< not an operator of torch or torchtitan, or one whose arguments decide
};

/// Kinds of collective, in the order in which torch looks for their names
/// (`get_collective_type_from_kernel_name`, a substring test).
enum class CollectiveKind : std::uint8_t {
    none,
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    point_to_point,
    broadcast,  ///< starts communication, but is no collective that torch's passes recognise
};

std::string_view collective_kind_name(CollectiveKind kind);
/// The kind of that name, other than `none`.
std::optional<CollectiveKind> collective_kind_by_name(std::string_view name);

/// An operator as a graph's nodes name it. One for each different target of a graph.
struct TargetInfo {
    OperatorTraits traits;
    SideEffects side_effects = SideEffects::unknown;
    /// The kind that passes see: the first kind whose name occurs in the operator's name. Never broadcast.
    CollectiveKind recognised = CollectiveKind::none;
    /// What it starts on the communication streams: `_c10d_functional` operators, coalesced and in-place forms
    /// included.
    CollectiveKind starts = CollectiveKind::none;
    bool is_wait = false;     ///< `_c10d_functional.wait_tensor.default`
    bool is_getitem = false;  ///< `operator.getitem`
    /// The arguments that it writes, a bit for each place in its schema.
    std::uint32_t written_arguments = 0;
    /// Index of the positional argument that holds the process group, or -1. It may also come as keyword `group_name`.
    int group_argument = -1;
};

/// Everything that is known of the operator `target` of a call_function node, such as `aten.mm.default`.
TargetInfo describe_target(std::string_view target);

/// The traits of an operator; all false when torch's registries do not know it.
OperatorTraits operator_traits(std::string_view target);

}  // namespace overlap
