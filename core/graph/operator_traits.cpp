#include "core/graph/operator_traits.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/graph/operator_names.h"

namespace overlap {

namespace {

struct TableEntry {
    std::string_view name;
    unsigned flags;    ///< view 1, cheap 2, fusible 4, compute 8, side effects 16, side effects unknown 32
    unsigned written;  ///< TargetInfo::written_arguments
};

constexpr TableEntry operator_table[] = {
#include "operator_table.inc"
};

/// Namespaces of which every operator with side effects is in the table.
constexpr std::string_view known_namespaces[] = {
#include "operator_namespaces.inc"
};

const TableEntry* find_operator(std::string_view target) {
    const auto* entry =
        std::lower_bound(std::begin(operator_table), std::end(operator_table), target,
                         [](const TableEntry& left, std::string_view right) { return left.name < right; });
    return entry == std::end(operator_table) || entry->name != target ? nullptr : entry;
}

unsigned flags_of(std::string_view target) {
    const TableEntry* entry = find_operator(target);
    return entry ? entry->flags : 0;
}

SideEffects side_effects_of(std::string_view target, unsigned flags) {
    if (flags & 16) return SideEffects::some;
    if (flags & 32) return SideEffects::unknown;
    const std::string_view space = target.substr(0, target.find('.'));
    const bool known = std::binary_search(std::begin(known_namespaces), std::end(known_namespaces), space);
    return known ? SideEffects::none : SideEffects::unknown;
}

OperatorTraits traits_of(unsigned flags) {
    return {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

CollectiveKind recognise(std::string_view target) {
    if (contains(target, "all_reduce")) return CollectiveKind::all_reduce;
    if (contains(target, "all_gather")) return CollectiveKind::all_gather;
    if (contains(target, "reduce_scatter")) return CollectiveKind::reduce_scatter;
    if (contains(target, "all_to_all") || contains(target, "alltoall")) return CollectiveKind::all_to_all;
    if (contains(target, "isend") || contains(target, "irecv") || contains(target, "batch_p2p")) {
        return CollectiveKind::point_to_point;
    }
    return CollectiveKind::none;
}

struct Starter {
    std::string_view name;  ///< between `_c10d_functional.` and the overload
    CollectiveKind kind;
    int group_argument;
};

constexpr std::array starters = std::to_array<Starter>({
    {"all_gather_into_tensor", CollectiveKind::all_gather, 2},
    {"all_gather_into_tensor_out", CollectiveKind::all_gather, 2},
    {"all_gather_into_tensor_coalesced", CollectiveKind::all_gather, 2},
    {"reduce_scatter_tensor", CollectiveKind::reduce_scatter, 3},
    {"reduce_scatter_tensor_out", CollectiveKind::reduce_scatter, 3},
    {"reduce_scatter_tensor_coalesced", CollectiveKind::reduce_scatter, 3},
    {"all_reduce", CollectiveKind::all_reduce, 2},
    {"all_reduce_", CollectiveKind::all_reduce, 2},
    {"all_reduce_coalesced", CollectiveKind::all_reduce, 2},
    {"all_reduce_coalesced_", CollectiveKind::all_reduce, 2},
    {"all_to_all_single", CollectiveKind::all_to_all, 3},
    {"broadcast", CollectiveKind::broadcast, 2},
    {"broadcast_", CollectiveKind::broadcast, 2},
    {"isend", CollectiveKind::point_to_point, 3},
    {"irecv", CollectiveKind::point_to_point, 3},
    {"batch_p2p_ops", CollectiveKind::point_to_point, 4},
});

constexpr std::string_view functional_collectives = "_c10d_functional.";

/// The forms that copy engines carry out, by their names between `symm_mem.` and the overload. They are awaited alike.
constexpr std::array symmetric_starters = std::to_array<Starter>({
    {"_low_contention_all_gather", CollectiveKind::all_gather, 1},
    {"_low_contention_all_gather_ce_multicast", CollectiveKind::all_gather, 1},
    {"_low_contention_all_gather_ce_multicast_out", CollectiveKind::all_gather, 1},
    {"_low_contention_reduce_scatter", CollectiveKind::reduce_scatter, 2},
});
constexpr std::string_view symmetric_memory = "symm_mem.";

/// What an operator starts of those that a list has of its namespace; nullptr where it is of another or starts nothing.
const Starter* find_starter(std::string_view target, std::string_view name_space, std::span<const Starter> list) {
    if (!target.starts_with(name_space)) return nullptr;
    std::string_view name = target.substr(name_space.size());
    name = name.substr(0, name.find('.'));
    const auto found = std::ranges::find(list, name, &Starter::name);
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

std::string_view collective_kind_name(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::none:
            return "none";
        case CollectiveKind::all_reduce:
            return "all_reduce";
        case CollectiveKind::all_gather:
            return "all_gather";
        case CollectiveKind::reduce_scatter:
            return "reduce_scatter";
        case CollectiveKind::all_to_all:
            return "all_to_all";
        case CollectiveKind::point_to_point:
            return "point_to_point";
        case CollectiveKind::broadcast:
            return "broadcast";
    }
    return "none";
}

std::optional<CollectiveKind> collective_kind_by_name(std::string_view name) {
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
          CollectiveKind::all_to_all, CollectiveKind::point_to_point, CollectiveKind::broadcast}) {
        if (collective_kind_name(kind) == name) return kind;
    }
    return std::nullopt;
}

OperatorTraits operator_traits(std::string_view target) {
    return traits_of(flags_of(target));
}

bool is_known_operator(std::string_view target) {
    return find_operator(target) != nullptr;
}

bool begins_known_operator(std::string_view part) {
    const auto* entry =
        std::lower_bound(std::begin(operator_table), std::end(operator_table), part,
                         [](const TableEntry& left, std::string_view right) { return left.name < right; });
    // Names that begin with "aten.mm" are together, those behind a dot not always first.
    while (entry != std::end(operator_table) && entry->name.starts_with(part)) {
        if (entry->name.size() > part.size() && entry->name[part.size()] == '.') return true;
        ++entry;
    }
    return false;
}

TargetInfo describe_target(std::string_view target) {
    TargetInfo info;
    const TableEntry* entry = find_operator(target);
    const unsigned flags = entry ? entry->flags : 0;
    info.written_arguments = entry ? entry->written : 0;
    info.traits = traits_of(flags);
    info.side_effects = side_effects_of(target, flags);
    info.is_getitem = target == "operator.getitem";
    info.is_wait = target == "_c10d_functional.wait_tensor.default";
    info.recognised = recognise(target);
    const Starter* starter = find_starter(target, functional_collectives, starters);
    if (!starter) starter = find_starter(target, symmetric_memory, symmetric_starters);
    if (starter) {
        info.starts = starter->kind;
        info.group_argument = starter->group_argument;
    }
    return info;
}

}  // namespace overlap
