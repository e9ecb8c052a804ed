#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace overlap {

/// What torch.fx prints above the nodes that it is true of.
struct FxComment {
    std::string custom_json;  ///< of `Annotation: {…}`: a JSON object, or empty
    std::string module_fqn;   ///< the annotation's entry of that name
    std::string
        details_json;  ///< `source` (file, line, function, code), `recompute`, `ac_graph_id`, `comment`; or empty
    std::optional<bool> autograd_backward;
    std::optional<std::int64_t> sequence_number;
    std::string partitioner_tag;
    bool is_cut = false;  ///< torch.fx printed only the beginning of an annotation's value
};

/// Reads a comment. What it does not know is kept whole under `comment` of details_json.
/// @param text from `#` on.
/// @return nothing for a comment that says nothing about nodes, such as a line of white space.
std::optional<FxComment> parse_fx_comment(std::string_view text);

}  // namespace overlap
