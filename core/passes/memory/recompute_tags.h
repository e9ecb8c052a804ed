#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::memory {

/// What a node's tag says of its output between forward and backward (torch/utils/checkpoint.py, `CheckpointPolicy`).
/// In a document it is `titan_meta.recompute` of the node, such as `CheckpointPolicy.MUST_SAVE`.
enum class RecomputeTag : std::uint8_t {
    none,
    must_save,
    prefer_save,
    must_recompute,
    prefer_recompute,
    must_cpu_offload,
    prefer_cpu_offload,
};

constexpr bool is_recomputable(RecomputeTag tag) {
    return tag == RecomputeTag::must_recompute || tag == RecomputeTag::prefer_recompute;
}

/// torch's name, such as `MUST_SAVE`; empty for none.
std::string_view recompute_tag_name(RecomputeTag tag);

/// The tag of one node, for display: none also for a tag that torch does not know.
RecomputeTag recompute_tag(const Graph& graph, NodeId node);

/// The tags of all nodes.
/// @throws PassRefusal of `pass` for a tag that torch does not know.
std::vector<RecomputeTag> recompute_tags(const Graph& graph, std::string_view pass);

/// Whether the name of a tag occurs in the fields of a node: false where no node has the tag, at a fraction of the time
/// that reading all of them takes.
bool may_have_tag(const Graph& graph, RecomputeTag tag);

/// A node's unknown fields with this tag in place of the one that they have; `none` takes it away.
std::string with_recompute_tag(std::string_view extra_json, RecomputeTag tag);

}  // namespace overlap::memory
