#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// A JSON document that is mostly one long list, taken apart so that it can be parsed a piece at a time.
struct JsonListPieces {
    std::string rest;                      ///< the document with an empty list in place of the long one
    std::vector<std::string_view> pieces;  ///< entries of the list with the commas between them, in order
};

/// @param key member of the outermost object that has the list: the first of that name.
/// @param piece_bytes the least size of a piece, except at the end of the list.
/// @return nothing where the document cannot be taken apart, since it is not such a document, is damaged or spells keys
/// with escapes; and when stopped. Where rest and each piece, put in brackets, are valid JSON, so is the document.
std::optional<JsonListPieces> json_list_pieces(std::string_view document, std::string_view key, std::size_t piece_bytes,
                                               const std::stop_token& stop = {});

}  // namespace overlap
