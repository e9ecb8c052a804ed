#include "core/imports/fx/fx_comment.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(FxComment, SourceAndCode) {
    const auto comment = parse_fx_comment("# File: /a/model.py:33 in forward, code: x = f(y)  # File: no");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->details_json,
              R"({"source":{"file":"/a/model.py","line":33,"function":"forward","code":"x = f(y)  # File: no"}})");
    EXPECT_FALSE(comment->autograd_backward);
}

TEST(FxComment, GraphTrainersForm) {
    const auto comment = parse_fx_comment(
        "# autograd_backward: True # Annotation: {'module_fqn': 'layers.0.attention', 'EP': True, 'n': 3} recompute: "
        "PREFER_RECOMPUTE File: m.py:1 in f, code: a");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->custom_json, R"({"module_fqn":"layers.0.attention","EP":true,"n":3})");
    EXPECT_EQ(comment->module_fqn, "layers.0.attention");
    EXPECT_EQ(comment->autograd_backward, true);
    EXPECT_EQ(comment->details_json,
              R"({"source":{"file":"m.py","line":1,"function":"f","code":"a"},"recompute":"PREFER_RECOMPUTE"})");
    EXPECT_FALSE(comment->is_cut);
}

TEST(FxComment, BackwardNodesAndCheckpoints) {
    const auto comment =
        parse_fx_comment("# ac_graph_id: 4 - MUST_SAVE Backward of forward node: File: m.py:1 in f, code: a");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->autograd_backward, true);
    EXPECT_NE(comment->details_json.find(R"("ac_graph_id":"4","recompute":"MUST_SAVE")"), std::string::npos);
}

TEST(FxComment, CutAnnotationsAreTold) {
    const std::string name(40, 'x');
    const auto comment = parse_fx_comment("# Annotation: {'module_fqn': '" + name + "...'} No stacktrace found");
    ASSERT_TRUE(comment);
    EXPECT_TRUE(comment->is_cut);
}

TEST(FxComment, AnnotationsKeepWhatTheyAre) {
    const auto comment = parse_fx_comment("# Annotation: {'EP': False, 'n': 12, 'x': [1], 3: 'y', 'z': 'w...'}");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->custom_json, R"({"EP":false,"n":12,"x":"[1]","3":"y","z":"w..."})");
    EXPECT_EQ(comment->module_fqn, "");
    EXPECT_FALSE(comment->is_cut);
    const std::string long_name(43, 'x');
    EXPECT_FALSE(parse_fx_comment("# Annotation: {'name': '" + long_name + "'}")->is_cut);
}

TEST(FxComment, TagsOfOneWord) {
    const auto comment =
        parse_fx_comment("# autograd_backward: False seq_nr: 17, partitioner_tag: is_backward, ac_graph_id: 2");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->autograd_backward, false);
    EXPECT_EQ(comment->sequence_number, 17);
    EXPECT_EQ(comment->partitioner_tag, "is_backward");
    EXPECT_EQ(comment->details_json, R"({"ac_graph_id":"2"})");
    for (const char* number : {"x", "17x", "99999999999999999999"}) {
        const auto other = parse_fx_comment(std::string("# seq_nr: ").append(number));
        ASSERT_TRUE(other);
        EXPECT_EQ(other->sequence_number, std::nullopt) << number;
    }
}

TEST(FxComment, SourcesInPart) {
    const auto details = [](std::string_view text) { return parse_fx_comment(text)->details_json; };
    EXPECT_EQ(details("# File: m.py:3"), R"({"source":{"file":"m.py","line":3}})");
    EXPECT_EQ(details("# File: m.py:3, code: x"), R"({"source":{"file":"m.py","line":3,"code":"x"}})");
    EXPECT_EQ(details("# File: m.py:3 in f"), R"({"source":{"file":"m.py","line":3,"function":"f"}})");
    EXPECT_EQ(details("# File: m.py"), R"({"comment":"File: m.py"})");
    EXPECT_EQ(details("# File: m.py:three in f"), R"({"comment":"File: m.py:three in f"})");
}

TEST(FxComment, WhatIsNotKnownIsKept) {
    EXPECT_EQ(parse_fx_comment("# Annotation: [1]")->details_json, R"({"comment":"Annotation: [1]"})");
    const auto comment = parse_fx_comment("# note: Annotation: {broken");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->details_json, R"({"comment":"note: Annotation: {broken"})");
    EXPECT_FALSE(parse_fx_comment("#   "));
}

}  // namespace
}  // namespace overlap
