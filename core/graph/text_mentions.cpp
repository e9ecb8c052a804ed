#include "core/graph/text_mentions.h"

#include <algorithm>

namespace overlap {

bool TextMentions::has(std::string_view word) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& [known, found] : known_) {
        if (known == word) return found;
    }
    return known_.emplace_back(word, find(word)).second;
}

bool TextMentions::find(std::string_view word) const {
    if (different_.empty()) {
        std::vector<bool> seen(strings_->size());
        const auto see = [&](StringId text) {
            if (!seen[text]) different_.push_back(text);
            seen[text] = true;
        };
        StringId last = no_string;
        for (const StringId text : texts_) {
            if (text == last) continue;
            last = text;
            if (const TextPieces* pieces = strings_->pieces(text)) {
                std::ranges::for_each(*pieces, see);
            } else {
                see(text);
            }
        }
    }
    return std::ranges::any_of(
        different_, [&](StringId text) { return strings_->text(text).find(word) != std::string_view::npos; });
}

}  // namespace overlap
