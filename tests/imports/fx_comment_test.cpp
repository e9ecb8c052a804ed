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

TEST(FxComment, WhatIsNotKnownIsKept) {
    const auto comment = parse_fx_comment("# note: Annotation: {broken");
    ASSERT_TRUE(comment);
    EXPECT_EQ(comment->details_json, R"({"comment":"note: Annotation: {broken"})");
    EXPECT_FALSE(parse_fx_comment("#   "));
}

}  // namespace
}  // namespace overlap
