#include "core/exports/html_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace overlap {
namespace {

TEST(HtmlText, EscapesWhatMarkupIsMadeOf) {
    EXPECT_EQ(html_text("<a href=\"x\">&'</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
    EXPECT_EQ(html_text("caf\u00e9 \U0001f600"), "caf\u00e9 \U0001f600");
}

TEST(HtmlText, ShowsWhatCannotBeSeen) {
    EXPECT_EQ(html_text("\u202eevil\n"), "⟨U+202E⟩evil⟨U+000A⟩");
    EXPECT_EQ(html_text(std::string_view("\0", 1)), "⟨U+0000⟩");
    EXPECT_EQ(html_text("\xff"), "\xef\xbf\xbd");
    // The last and the next of each range: controls, the soft hyphen, marks of direction and of zero width.
    for (const auto& [seen, shown] : std::vector<std::pair<std::string, std::string>>{{"\u009f", "⟨U+009F⟩"},
                                                                                      {"\u00a0", "\u00a0"},
                                                                                      {"\u00ad", "⟨U+00AD⟩"},
                                                                                      {"\u061c", "⟨U+061C⟩"},
                                                                                      {"\u200f", "⟨U+200F⟩"},
                                                                                      {"\u2010", "\u2010"},
                                                                                      {"\u202f", "\u202f"},
                                                                                      {"\u206f", "⟨U+206F⟩"},
                                                                                      {"\u2070", "\u2070"},
                                                                                      {"\ufeff", "⟨U+FEFF⟩"}}) {
        EXPECT_EQ(html_text(seen), shown);
    }
    // Beyond what Unicode has, byte by byte.
    EXPECT_EQ(html_text("\xf4\x90\x80\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(HtmlName, CutsLongNamesBetweenCharacters) {
    EXPECT_EQ(html_name("abc"), "<code>abc</code>");
    EXPECT_EQ(html_name("ab\u00e9\u00e9", 3), "<code>ab…</code> <small>(6 bytes)</small>");
}

TEST(HtmlTable, AlignsNumbersRight) {
    HtmlTable table({"Name", "#Time"});
    EXPECT_TRUE(table.empty());
    table.add({"a", "1"});
    EXPECT_FALSE(table.empty());
    EXPECT_EQ(table.take(),
              "<div class=\"table\"><table><thead><tr><th>Name</th><th class=\"number\">Time</th></tr></thead><tbody>\n"
              "<tr><td>a</td><td class=\"number\">1</td></tr>\n</tbody></table></div>\n");
}

}  // namespace
}  // namespace overlap
