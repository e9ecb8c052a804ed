#pragma once

#include <string_view>

#include "core/passes/option.h"

namespace overlap::experts {

// What the passes that halve modules have in common.

/// The option `mode`: both values cut the first dimension of the inputs, which holds the tokens of all sequences.
PassOption mode_option();

/// A member of a document's header: modules were halved, and no pass noted along which symbol, so that the job would
/// not make numbers of it. Documents from before such notes lack both.
inline constexpr std::string_view without_hints_field = "chunked_without_hints";

/// @throws PassRefusal of `pass`: no input has a size that is known only when the job runs, and what the job must set.
[[noreturn]] void refuse_not_traced_for_chunks(std::string_view pass);

}  // namespace overlap::experts
