#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/memory_profile.h"
#include "core/memory/storage_table.h"

namespace overlap {

/// What a piece of memory is there for. What a graph has no tensors of, as the state of an optimizer that runs beside
/// it, is not counted.
enum class MemoryKind : std::uint8_t {
    inputs,               ///< what the graph is given, beside sharded parameters
    sharded_parameters,   ///< parameters that are gathered, as the graph is given them
    gathered_parameters,  ///< what gathering makes of them
    gradients,            ///< of parameters, from where they are computed, and other results of the graph
    saved_activations,    ///< kept from the forward to the backward pass
    recomputed,           ///< computed again in the backward pass
    offload,              ///< on its way to the host or back from it
    temporary,            ///< all else
};

inline constexpr std::size_t memory_kind_count = 8;
/// Stable short name, such as `saved_activations`.
std::string_view memory_kind_name(MemoryKind kind);
/// For display, such as `saved activations`.
std::string memory_kind_title(MemoryKind kind);

using BytesByKind = std::array<std::int64_t, memory_kind_count>;

/// The kind of each storage of a table, found by what moves data and what computes: a parameter reaches a gather
/// through casts, copies and views alone, and what these make of it alone is the gathered parameter; a gradient reaches
/// the output through them and through reductions between ranks.
std::vector<MemoryKind> memory_kinds(const Graph& graph, const StorageTable& table);

/// What is held at one point of MemoryProfile::points.
struct HeldMemory {
    struct OfModule {
        std::string module;  ///< `custom.module_fqn` or the innermost module's path; empty for none
        std::int64_t bytes = 0;
        BytesByKind by_kind{};
    };
    std::int64_t bytes = 0;
    BytesByKind by_kind{};
    std::vector<OfModule> modules;  ///< the most bytes first
};

/// The first point at which the profile is at its peak.
std::size_t peak_point(const MemoryProfile& profile);

/// What makes up `memory_profile(graph, StorageRule::corrected).points[point]`.
HeldMemory held_memory(const Graph& graph, std::size_t point);

/// The profile's points by kind: for each point the bytes of each kind.
std::vector<BytesByKind> memory_by_kind(const Graph& graph);

}  // namespace overlap
