#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace overlap::commands {

/// Bytes for people, in binary units with three significant digits or more: `1.23 GiB`.
std::string bytes_text(std::int64_t bytes);

/// Milliseconds for people: `12.345 ms`.
std::string milliseconds_text(double milliseconds);

/// Percent for people, with two decimals: `12.34 %`; `-` where there is none.
std::string percent_text(std::optional<double> percent);

/// `1 node`, `2 nodes`.
std::string count_text(std::uint64_t count, const std::string& noun);

/// A message as one line whatever a file's contents put into it: control characters become spaces.
std::string one_line(std::string text);

/// JSON, indented. Bytes that are no UTF-8, which a file's path may hold, are replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// Lines of cells in columns. The first column is aligned left, the others right.
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
