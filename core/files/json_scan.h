#pragma once

#include <cstddef>
#include <string_view>

namespace overlap {

// Finding where values end in JSON text of which only a part is there. Strings and brackets are followed and nothing
// else is checked: the content between them is left to a parser.

/// The end of the value that `text` begins with; npos when it may continue after the text's end. The end of a number or
/// a word is seen only by what follows it.
std::size_t json_value_end(std::string_view text);

/// Where a list can be cut.
struct JsonListCut {
    /// Place of the last comma between entries, or of the bracket that closes the list; npos if neither is there.
    std::size_t place = std::string_view::npos;
    bool is_closed = false;
    bool is_whole = false;  ///< not closed, and the text ends between entries or right behind one
};

/// @param text what follows the opening bracket of a list, or a comma between its entries.
JsonListCut json_list_cut(std::string_view text);

}  // namespace overlap
