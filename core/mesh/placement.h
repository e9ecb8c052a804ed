#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// How the local values of a partial tensor become the whole one. Names are torch's `reduce_op` strings.
enum class ReduceOp : std::uint8_t { sum, avg, min, max, product, band, bor, bxor };

enum class PlacementKind : std::uint8_t { replicate, shard, partial, strided_shard };

/// What one mesh dimension does to a tensor (torch/distributed/tensor/placement_types.py).
///
/// Written `R`, `S(dim)`, `P(op)`, `_S(dim, split factor)`.
struct Placement {
    PlacementKind kind = PlacementKind::replicate;
    ReduceOp reduce_op = ReduceOp::sum;  ///< of a partial
    int tensor_dim = 0;                  ///< of a shard or strided shard, from 0
    std::int64_t split_factor = 1;       ///< of a strided shard, from 1

    static Placement replicate() { return {}; }
    static Placement shard(int tensor_dim);
    static Placement partial(ReduceOp reduce_op);
    static Placement strided_shard(int tensor_dim, std::int64_t split_factor);

    bool is_replicate() const { return kind == PlacementKind::replicate; }
    bool is_partial() const { return kind == PlacementKind::partial; }
    bool is_shard() const { return kind == PlacementKind::shard; }
    bool is_strided_shard() const { return kind == PlacementKind::strided_shard; }
    /// A shard of either kind: it cuts `tensor_dim`.
    bool cuts() const { return is_shard() || is_strided_shard(); }

    bool operator==(const Placement&) const = default;
};

std::string_view to_text(ReduceOp reduce_op);
std::string to_text(const Placement& placement);

/// Reads one placement from the front of `text` and removes it. `P` alone is `P(sum)`, as discussions write it.
/// @throws InputError with the text as its place.
Placement take_placement(std::string_view& text);

/// Reads a text that is one placement and nothing else.
/// @throws InputError with the text as its place.
Placement parse_placement(std::string_view text);

}  // namespace overlap
