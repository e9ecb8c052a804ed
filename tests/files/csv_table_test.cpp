#include "core/files/csv_table.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

std::string row(std::string_view cell) {
    CsvTable table({"a"});
    table.text(cell).end_row();
    return table.take().substr(3);
}

TEST(CsvTable, QuotesWhatWouldEndACell) {
    EXPECT_EQ(row("plain text"), "plain text\r\n");
    EXPECT_EQ(row("a,b"), "\"a,b\"\r\n");
    EXPECT_EQ(row("say \"no\""), "\"say \"\"no\"\"\"\r\n");
    EXPECT_EQ(row("two\nlines"), "\"two\nlines\"\r\n");
}

TEST(CsvTable, NoTextIsAFormula) {
    EXPECT_EQ(row("=cmd()"), "'=cmd()\r\n");
    EXPECT_EQ(row("+1"), "'+1\r\n");
    EXPECT_EQ(row("-1"), "'-1\r\n");
    EXPECT_EQ(row("@SUM(1,2)"), "\"'@SUM(1,2)\"\r\n");
    EXPECT_EQ(row("\t=1"), "'\t=1\r\n");
    EXPECT_EQ(row("\r=1"), "\"'\r=1\"\r\n");
    EXPECT_EQ(row("\n=1"), "\"'\n=1\"\r\n");
    // One apostrophe is taken off when reading, so a text that has one gets another.
    EXPECT_EQ(row("'=1"), "''=1\r\n");
    EXPECT_EQ(row("a=1"), "a=1\r\n");
}

TEST(CsvTable, NumbersStayNumbers) {
    CsvTable table({"a", "b", "c", "d"});
    table.number(-0.5).number(std::int64_t{-7}).empty().number(0.1).end_row();
    EXPECT_EQ(table.take(), "a,b,c,d\r\n-0.5,-7,,0.1\r\n");
}

}  // namespace
}  // namespace overlap
