#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/imports/fx/fx_functions.h"
#include "core/imports/operators/tensor_typing.h"

namespace overlap {

/// A graph made of something that is no graph document, and what could not be taken over.
struct ImportedGraph {
    std::shared_ptr<const Graph> graph;
    TypingReport typing;
    std::set<std::string> symbols;  ///< that its types name
    std::vector<ImportNote> notes;
};

/// Reads one graph of a text; find_fx_functions() lists them. Nothing of the text is executed.
/// @throws InputError without a file: the text is none that torch.fx prints, with line and column.
ImportedGraph read_fx_text(std::string_view text, const FxFunction& function, const ImportOptions& options);

}  // namespace overlap
