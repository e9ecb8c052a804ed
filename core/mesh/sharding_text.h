#pragma once

#include <string>
#include <string_view>

#include "core/mesh/sharding_state.h"

namespace overlap {

/// The state as torch prints it: placements of mesh dimensions 0, 1, ... one after the other, where several cut one
/// tensor dimension each with `[its place in the order]`, such as `P(sum)S(1)[1]S(1)[0]R`.
std::string to_text(const ShardingState& state);

/// The state by tensor dimensions: `S(0)[2,0]R[1]` is tensor dimension 0 cut by mesh dimension 2, then by 0.
/// Replicated and partial mesh dimensions follow, ascending.
std::string to_tensor_centric_text(const ShardingState& state);

/// Reads either notation; `S(0)<1>` is `S(0)[1]` of the first one. Brackets mean mesh dimensions (the second notation)
/// when a replicate or partial has them, when they hold more than one number, or when no tensor dimension is named
/// twice. Without brackets the order is the default one.
/// @throws InputError with the text as its place: unreadable, another number of mesh dimensions than `mesh_dims`, a
/// mesh dimension repeated or missing, places in an order that are not 0, 1, 2, ...
ShardingState parse_state(std::string_view text, int mesh_dims);

/// A specification as torch prints it: `Spec(f32[64, 48](S(0)R))`.
std::string spec_text(const ShardingState& state, const MeshTensor& tensor);

}  // namespace overlap
