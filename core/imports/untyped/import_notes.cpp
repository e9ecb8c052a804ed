#include "core/imports/untyped/import_notes.h"

namespace overlap {

void ImportNotes::add(std::string_view what, std::string_view place) {
    const auto known = counts_.find(what);
    if (known != counts_.end()) {
        ++known->second.count;
        return;
    }
    order_.emplace_back(what);
    counts_.emplace(what, Count{1, std::string(place)});
}

std::vector<std::string> ImportNotes::sentences() const {
    std::vector<std::string> sentences;
    for (const std::string& what : order_) {
        const Count& count = counts_.find(what)->second;
        std::string sentence = what;
        sentence += " (";
        if (count.count > 1) {
            sentence += std::to_string(count.count);
            sentence += " times, first in ";
        }
        sentence += count.first;
        sentence += ')';
        sentences.push_back(std::move(sentence));
    }
    return sentences;
}

}  // namespace overlap
