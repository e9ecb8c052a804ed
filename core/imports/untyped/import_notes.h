#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// What can be done about a note on an import.
enum class ImportNoteKind : std::uint8_t {
    remark,  ///< nothing: something was left out or assumed
    untold,  ///< the file leaves something out that ImportOptions can tell
};

/// What an import could not take over as it is.
struct ImportNote {
    std::string sentence;  ///< without full stop
    ImportNoteKind kind = ImportNoteKind::remark;

    friend bool operator==(const ImportNote&, const ImportNote&) = default;
};

/// The sentences of notes, for lists of texts.
std::vector<std::string> sentences_of(const std::vector<ImportNote>& notes);

/// What an import could not take over as it is, each kind once with its count: nothing is dropped silently.
class ImportNotes {
  public:
    /// @param what a sentence without full stop, the same for everything of its kind. @param place of this one.
    void add(std::string_view what, std::string_view place, ImportNoteKind kind = ImportNoteKind::remark);
    /// Whether place() would be asked for: only the first of a kind is reported.
    bool is_new(std::string_view what) const { return counts_.find(what) == counts_.end(); }
    bool empty() const { return order_.empty(); }
    /// `SENTENCE (3 times, first in line 12)`, in the order in which they were met.
    std::vector<ImportNote> list() const;

  private:
    struct Count {
        std::size_t count = 0;
        std::string first;
    };
    std::map<std::string, Count, std::less<>> counts_;
    std::vector<ImportNote> order_;
};

}  // namespace overlap
