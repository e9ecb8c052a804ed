#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overlap {

/// Comma-separated values after RFC 4180, cell by cell, that a spreadsheet can open without running anything.
///
/// A text that starts as spreadsheets' formulas do, with `=`, `+`, `-`, `@`, a tab or a line break, gets an apostrophe
/// in front, which spreadsheets take as "this is text"; so does one that starts with an apostrophe, so that a program
/// gets every text back by taking off one apostrophe. Numbers stay numbers, negative ones too.
class CsvTable {
  public:
    explicit CsvTable(std::initializer_list<std::string_view> heading);
    explicit CsvTable(const std::vector<std::string>& heading);

    CsvTable& text(std::string_view cell);
    /// The shortest text that reads back as `number`.
    CsvTable& number(double number);
    CsvTable& number(std::int64_t number);
    /// A time in milliseconds to the nanosecond: `12.345678`, and not the digits that computing it left behind.
    CsvTable& milliseconds(double time_ms);
    CsvTable& empty();
    void end_row();

    std::string take() { return std::move(text_); }

  private:
    void separate();

    std::string text_;
    bool row_begun_ = false;
};

}  // namespace overlap
