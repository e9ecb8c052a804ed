#include "core/imports/untyped/import_notes.h"

namespace overlap {

std::vector<std::string> sentences_of(const std::vector<ImportNote>& notes) {
    std::vector<std::string> sentences;
    sentences.reserve(notes.size());
    for (const ImportNote& note : notes) sentences.push_back(note.sentence);
    return sentences;
}

void ImportNotes::add(std::string_view what, std::string_view place, ImportNoteKind kind) {
    const auto known = counts_.find(what);
    if (known != counts_.end()) {
        ++known->second.count;
        return;
    }
    order_.push_back({std::string(what), kind});
    counts_.emplace(what, Count{1, std::string(place)});
}

std::vector<ImportNote> ImportNotes::list() const {
    std::vector<ImportNote> notes = order_;
    for (ImportNote& note : notes) {
        const Count& count = counts_.find(note.sentence)->second;
        note.sentence += " (";
        if (count.count > 1) {
            note.sentence += std::to_string(count.count);
            note.sentence += " times, first in ";
        }
        note.sentence += count.first;
        note.sentence += ')';
    }
    return notes;
}

}  // namespace overlap
