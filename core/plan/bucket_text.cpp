// What users type and paste for bucket entries. The rules, and where they differ from the expander that PyTorch once
// had (and dropped), are in this folder's README.

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/plan/plan.h"

namespace overlap {

namespace {

/// Of all names together; a long name with a range in it would take gigabytes.
constexpr std::size_t most_letters = std::size_t{8} << 20;

constexpr std::string_view python_blanks = " \t\r\f\v";

bool is_blank(char letter) {
    return python_blanks.find(letter) != std::string_view::npos;
}

bool is_quote(char letter) {
    return letter == '"' || letter == '\'';
}

/// The end of the quoted text that opens at `open`, npos where it is not closed. A backslash takes the next letter as
/// it is.
std::size_t closing_quote(std::string_view text, std::size_t open) {
    for (std::size_t at = open + 1; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == text[open]) {
            return at;
        }
    }
    return std::string_view::npos;
}

/// The next separator from `begin` on, outside names in quotes; npos where there is none. A quote opens only where a
/// name begins: others are letters of it.
std::size_t next_separator(std::string_view text, std::string_view separators, std::size_t begin) {
    bool at_name = true;
    for (std::size_t at = begin; at < text.size(); ++at) {
        if (separators.find(text[at]) != std::string_view::npos) return at;
        if (at_name && is_quote(text[at])) at = std::min(closing_quote(text, at), text.size() - 1);
        if (!is_blank(text[at])) at_name = text[at] == '+';
    }
    return std::string_view::npos;
}

/// Longer numbers are no valid index, and in ranges they exceed what a range may have.
constexpr std::size_t most_index_digits = 9;

/// Whether each bracket of a name holds an index, as in `layers[0]`, and no range.
bool has_indices_only(std::string_view name) {
    while (true) {
        const std::size_t open = name.find_first_of("[]");
        if (open == std::string_view::npos) return true;
        const std::size_t close = name.find_first_not_of("0123456789", open + 1);
        if (name[open] == ']' || close == open + 1 || close == std::string_view::npos || name[close] != ']')
            return false;
        if (close - open - 1 > most_index_digits) return false;
        name.remove_prefix(close + 1);
    }
}

/// A part of the typed text that knows where it is, for messages.
struct Piece {
    std::string_view text;
    std::size_t offset = 0;

    Piece part(std::size_t begin, std::size_t length = std::string_view::npos) const {
        return {text.substr(begin, length), offset + begin};
    }
    Piece trimmed() const {
        std::size_t begin = 0, end = text.size();
        while (begin < end && is_blank(text[begin])) ++begin;
        while (end > begin && is_blank(text[end - 1])) --end;
        return part(begin, end - begin);
    }
};

class EntryParser {
  public:
    EntryParser(std::string_view text, ExpansionBounds& bounds) : text_(text), bounds_(bounds) {}

    std::vector<BucketEntry> parse() {
        skip_space();
        if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
            parse_literal();
        } else {
            parse_lines();
        }
        return std::move(entries_);
    }

  private:
    [[noreturn]] void fail(std::size_t offset, const std::string& problem) const {
        std::size_t line = 1, column = 1;
        for (std::size_t index = 0; index < std::min(offset, text_.size()); ++index) {
            if (text_[index] == '\n') {
                ++line;
                column = 1;
            } else if ((text_[index] & 0xc0) != 0x80) {  // count characters, not the bytes that continue one
                ++column;
            }
        }
        throw InputError("line " + std::to_string(line) + ", column " + std::to_string(column), problem);
    }

    void skip_space() {
        while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) ++at_;
    }

    // --- Names, one or more a line -----------------------------------------------------------------------------

    void parse_lines() {
        for (std::size_t begin = 0; begin <= text_.size();) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            const Piece line{text_.substr(begin, end - begin), begin};
            if (!line.trimmed().text.empty()) parse_line(line);
            begin = end + 1;
        }
    }

    /// Entries of one line are separated by commas; one comma may end it.
    void parse_line(const Piece& line) {
        std::size_t begin = 0;
        while (true) {
            const std::size_t comma = next_separator(line.text, ",", begin);
            const Piece item = line.part(begin, comma == std::string_view::npos ? comma : comma - begin).trimmed();
            if (item.text.empty()) {
                if (comma == std::string_view::npos) return;
                fail(item.offset, "found \",\", expected a module path before it");
            }
            add_abbreviation(item);
            if (comma == std::string_view::npos) return;
            begin = comma + 1;
        }
    }

    // --- Abbreviations -------------------------------------------------------------------------------------------

    /// `a`, `a.[0-2]` (an entry each) or `a+b` (one entry).
    void add_abbreviation(const Piece& item) {
        if (next_separator(item.text, "+", 0) == std::string_view::npos) {
            for (std::string& module : expand_ranges(item)) add_entry({{std::move(module)}, false, {}});
            return;
        }
        BucketEntry entry;
        append_sum(item, entry.modules);
        entry.written_as_list = entry.modules.size() == 1;
        add_entry(std::move(entry));
    }

    void append_sum(const Piece& item, std::vector<std::string>& modules) {
        std::size_t begin = 0;
        while (true) {
            const std::size_t plus = next_separator(item.text, "+", begin);
            const Piece part = item.part(begin, plus == std::string_view::npos ? plus : plus - begin).trimmed();
            if (part.text.empty()) {
                const bool last = plus == std::string_view::npos;
                fail(last ? item.offset + begin - 1 : item.offset + plus,
                     in_quotes(item.text) + " names no module " + (last ? "after" : "before") + " a \"+\"");
            }
            for (std::string& module : expand_ranges(part)) modules.push_back(std::move(module));
            if (plus == std::string_view::npos) return;
            begin = plus + 1;
        }
    }

    /// The name between quotes, as it is.
    std::string quoted_name(const Piece& name) {
        const std::size_t close = closing_quote(name.text, 0);
        if (close == std::string_view::npos) fail(name.offset, "the quote that opens here is not closed");
        if (close + 1 != name.text.size())
            fail(name.offset + close + 1, "found text after a name in quotes; separate modules by + or ,");
        std::string made;
        for (std::size_t at = 1; at < close; ++at) made += name.text[at] == '\\' ? name.text[++at] : name.text[at];
        if (made.empty()) fail(name.offset, "found an empty name, expected a module path");
        return made;
    }

    /// All names that `name` stands for, the last range counting fastest; itself where it is in quotes.
    std::vector<std::string> expand_ranges(const Piece& name) {
        if (is_quote(name.text.front())) return {quoted_name(name)};
        std::vector<std::string> names{""};
        for (std::size_t at = 0; at < name.text.size();) {
            const char letter = name.text[at];
            if (is_blank(letter))
                fail(name.offset + at, in_quotes(name.text) +
                                           " has a space inside; separate modules by + or , or put the name in quotes");
            if (letter == ']') fail(name.offset + at, in_quotes(name.text) + " closes a bracket that it does not open");
            if (letter != '[') {
                count_letters(names.size(), name.offset + at);
                for (std::string& made : names) made += letter;
                ++at;
                continue;
            }
            const std::size_t close = name.text.find(']', at);
            if (close == std::string_view::npos) {
                fail(name.offset + at, in_quotes(name.text) + " opens a bracket that it does not close");
            }
            names = append_bracket(names, name.part(at, close + 1 - at));
            at = close + 1;
        }
        return names;
    }

    /// Each of `names` with each of what `bracket` stands for: `[2-4]` for three numbers, `[2]` for itself (module
    /// stacks hold indices such as `layers[0]`).
    std::vector<std::string> append_bracket(const std::vector<std::string>& names, const Piece& bracket) {
        const std::string_view inside = bracket.text.substr(1, bracket.text.size() - 2);
        const std::size_t dash = inside.find('-');
        const auto first = whole_number(inside.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : whole_number(inside.substr(dash + 1));
        if (!first || !last) {
            fail(bracket.offset,
                 "found " + in_quotes(bracket.text) + ", expected a range of whole numbers such as [0-3]");
        }
        if (*last < *first) {
            fail(bracket.offset, "the range " + std::string(bracket.text) + " runs backwards; write [" +
                                     std::to_string(*last) + "-" + std::to_string(*first) + "]");
        }
        if ((*last - *first + 1) > (bounds_.most_modules - bounds_.modules) / names.size()) {
            fail(bracket.offset, "the range " + std::string(bracket.text) + " stands for more than " +
                                     std::to_string(bounds_.most_modules) + " modules" +
                                     (bounds_.modules > 0 ? ", with those before it" : ""));
        }
        const std::size_t copies = *last - *first;  // besides the names that are there
        std::size_t letters = 0;
        for (const std::string& name : names) letters += name.size() * copies + bracket.text.size() * (copies + 1);
        count_letters(letters, bracket.offset);
        std::vector<std::string> made;
        for (const std::string& name : names) {
            if (dash == std::string_view::npos) {
                made.push_back(name + std::string(bracket.text));
                continue;
            }
            for (std::size_t number = *first; number <= *last; ++number) made.push_back(name + std::to_string(number));
        }
        return made;
    }

    void count_letters(std::size_t letters, std::size_t offset) {
        bounds_.letters += letters;
        if (bounds_.letters > most_letters) {
            fail(offset, "the names that the text stands for have more than " + std::to_string(most_letters >> 20) +
                             " MiB together");
        }
    }

    static std::optional<std::size_t> whole_number(std::string_view digits) {
        if (digits.empty() || digits.size() > 9) return std::nullopt;
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
        return number;
    }

    void add_entry(BucketEntry entry) {
        if (entry.modules.size() > bounds_.most_modules - bounds_.modules)
            fail(at_, "more than " + std::to_string(bounds_.most_modules) + " modules");
        bounds_.modules += entry.modules.size();
        entries_.push_back(std::move(entry));
    }

    // --- Python and JSON lists -----------------------------------------------------------------------------------

    void parse_literal() {
        const std::size_t open = at_;
        for_each_item(open, [&] {
            if (text_[at_] == '[' || text_[at_] == '(') {
                BucketEntry entry;
                const std::size_t inner = at_;
                for_each_item(inner, [&] {
                    if (text_[at_] == '[' || text_[at_] == '(') {
                        fail(at_, "found a list inside an entry's list, expected a module path");
                    }
                    append_sum(string_literal(), entry.modules);
                });
                entry.written_as_list = entry.modules.size() == 1;
                add_entry(std::move(entry));
            } else {
                add_abbreviation(string_literal());
            }
        });
        skip_space();
        if (at_ < text_.size()) fail(at_, "found text after the end of the list");
    }

    /// Calls `item()` at the start of each item of the list that opens at at_, and moves behind the list.
    template <typename Item>
    void for_each_item(std::size_t open, Item&& item) {
        const char close = text_[open] == '[' ? ']' : ')';
        const std::string opened = std::string("the list that opens with \"") + text_[open] + '"';
        ++at_;
        while (true) {
            skip_space();
            if (at_ >= text_.size()) fail(open, opened + " is not closed");
            if (text_[at_] == close) break;
            item();
            skip_space();
            if (at_ >= text_.size()) fail(open, opened + " is not closed");
            if (text_[at_] == ',') {
                ++at_;
            } else if (text_[at_] != close) {
                fail(at_, std::string("found \"") + text_[at_] + "\", expected \",\" or \"" + close + '"');
            }
        }
        ++at_;
    }

    /// The string that starts at at_. Paths have no characters that need escapes, so a backslash is an error.
    Piece string_literal() {
        const std::size_t open = at_;
        const char quote = text_[open];
        if (quote != '"' && quote != '\'') {
            fail(open, "found " + in_quotes(word(open)) + ", expected a module path in quotes or a list of them");
        }
        const std::size_t close = text_.find_first_of(std::string{quote, '\n', '\\'}, open + 1);
        if (close == std::string_view::npos || text_[close] == '\n')
            fail(open, "the string that opens here is not closed");
        if (text_[close] == '\\') fail(close, "found a backslash, which no module path has");
        at_ = close + 1;
        const Piece name = Piece{text_.substr(open + 1, close - open - 1), open + 1}.trimmed();
        if (name.text.empty()) fail(open, "found an empty name, expected a module path");
        return name;
    }

    std::string_view word(std::size_t begin) const {
        const std::size_t end = text_.find_first_of(" \t\r\n,[]()", begin + 1);
        return text_.substr(begin, std::min<std::size_t>(end - begin, 24));
    }

    std::string_view text_;
    ExpansionBounds& bounds_;
    std::size_t at_ = 0;
    std::vector<BucketEntry> entries_;
};

}  // namespace

std::string typed_name(std::string_view module) {
    const bool begins_plainly =
        !module.empty() && !is_quote(module.front()) && module.front() != '(' && module.front() != '[';
    if (begins_plainly && module.find_first_of(",+ \n\t\r\f\v") == std::string_view::npos && has_indices_only(module))
        return std::string(module);
    std::string typed = "\"";
    for (const char letter : module) {
        if (letter == '"' || letter == '\\') typed += '\\';
        typed += letter;
    }
    return typed + '"';
}

std::vector<BucketEntry> parse_bucket_entries(std::string_view text, ExpansionBounds& bounds) {
    return EntryParser(text, bounds).parse();
}

std::vector<BucketEntry> parse_bucket_entries(std::string_view text) {
    ExpansionBounds bounds;
    return parse_bucket_entries(text, bounds);
}

}  // namespace overlap
