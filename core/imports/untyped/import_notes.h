#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// A note on what a file leaves out, and an import takes from somebody who knows it: `what` is not known.
/// @param what a plural noun. @param how to tell it, with the punctuation before it.
std::string not_known_note(std::string_view what, std::string_view how);
/// Whether a note was made by that: what it is about can be told.
bool is_not_known_note(std::string_view note);

/// What an import could not take over as it is, each kind once with its count: nothing is dropped silently.
class ImportNotes {
  public:
    /// @param what a sentence without full stop, the same for everything of its kind. @param place of this one.
    void add(std::string_view what, std::string_view place);
    /// Whether place() would be asked for: only the first of a kind is reported.
    bool is_new(std::string_view what) const { return counts_.find(what) == counts_.end(); }
    bool empty() const { return order_.empty(); }
    /// `SENTENCE (3 times, first in line 12)`, in the order in which they were met.
    std::vector<std::string> sentences() const;

  private:
    struct Count {
        std::size_t count = 0;
        std::string first;
    };
    std::map<std::string, Count, std::less<>> counts_;
    std::vector<std::string> order_;
};

}  // namespace overlap
