#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/operands.h"
#include "core/run/program.h"

namespace overlap {

/// One launch of the kernel that moves bytes. It works in words of 16 bytes, so that spans begin and end at whole ones;
/// the bytes that count are the kernel's all the same, and go round in the spans.
struct MoveLaunch {
    std::vector<PoolSpan> inputs, outputs;
    std::int64_t read_bytes = 0, written_bytes = 0;
};

/// The launches by which a command's bytes are moved: one, or several where it writes more tensors than one has room
/// for, which share what is read by what they write. Of more inputs than there is room for, the longest are read. None
/// for what works on a host; tensors that are smaller than a word are a launch that moves nothing.
/// @param places of the command. @param most_spans that a launch has room for, of inputs and of outputs.
std::vector<MoveLaunch> move_launches(const ComputeWork& work, const Operands& places, std::size_t most_spans);

/// The whole words in a span; nothing where it has none.
std::optional<PoolSpan> whole_words(const PoolSpan& span);

}  // namespace overlap
