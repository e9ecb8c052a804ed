#include "core/imports/untyped/import_notes.h"

namespace overlap {
namespace {

constexpr std::string_view not_known = " are not known";

}  // namespace

std::string not_known_note(std::string_view what, std::string_view how) {
    return std::string(what).append(not_known).append(how);
}

bool is_not_known_note(std::string_view note) {
    return note.find(not_known) != std::string_view::npos;
}

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
