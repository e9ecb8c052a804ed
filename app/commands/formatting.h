#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace overlap::commands {

/// A message as one line whatever a file's contents put into it: a space stands for each control character, which a
/// terminal would obey, and for each that breaks a line or changes the direction of text.
std::string one_line(std::string_view text);

/// The number of characters of a name that a table shows; JSON has all of it.
constexpr std::size_t longest_name = 100;
/// The same for a sentence that has names in it.
constexpr std::size_t longest_sentence = 1000;

/// A name from a file's contents for display: one_line(), and `...` in place of what follows `longest` characters.
std::string name_text(std::string_view name, std::size_t longest = longest_name);

/// To be called when everything has been printed: a full disk is detected only then.
/// @throws InputError when it could not be written to standard output.
void require_standard_output();

/// JSON, indented. Bytes that are no UTF-8, which a file's path may hold, are replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// Lines of cells in columns. The first column is aligned left, the others right. A cell is one_line(); names in it
/// must be passed through name_text(), since each row is as wide as the longest cell.
class TextTable {
  public:
    explicit TextTable(std::vector<std::string> header);
    void add(std::vector<std::string> cells);
    bool empty() const { return rows_.size() <= 1; }
    void write(std::ostream& out, const std::string& indent = "  ") const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace overlap::commands
