#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// Text in HTML and SVG. Whatever comes from a file enters a page through these functions and nowhere else.
namespace overlap {

/// `text` as content of an element or of an attribute between quotes. Characters that cannot be seen or that turn the
/// direction of what follows are shown as their numbers, `⟨U+202E⟩`, so that they mislead no reader.
std::string html_text(std::string_view text);

/// A name as code; of one longer than `longest` bytes the beginning, and that it was cut.
std::string html_name(std::string_view name, std::size_t longest = 120);

/// A table, row by row. Cells are HTML.
class HtmlTable {
  public:
    /// @param columns titles; one that starts with `#` has numbers below it, aligned right.
    explicit HtmlTable(std::initializer_list<std::string_view> columns);
    void add(std::initializer_list<std::string> cells);
    bool empty() const { return rows_ == 0; }
    std::string take();

  private:
    std::vector<bool> right_;
    std::string html_;
    std::size_t rows_ = 0;
};

}  // namespace overlap
