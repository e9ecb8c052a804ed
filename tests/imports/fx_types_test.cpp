#include "core/imports/untyped/fx_types.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace overlap {
namespace {

/// What a printed type says: dtype, sizes, strides where it has them, and device; or its value; or the symbols that
/// lack one. "none" where it is no type.
std::string type_text(std::string_view annotation) {
    const SymbolValues symbols{{"s0", 8}, {"u0", 3}};
    const std::optional<FxType> type = parse_fx_type(annotation, symbols);
    if (!type) return "none";
    std::string text;
    if (type->value) text = "value " + std::to_string(*type->value);
    if (type->tensor) {
        text = dtype_info(type->tensor->dtype).name;
        for (const std::int64_t size : type->tensor->shape) text += " " + std::to_string(size);
        if (type->tensor->stride) {
            text += " by";
            for (const std::int64_t stride : *type->tensor->stride) text += " " + std::to_string(stride);
        }
        text += " on " + type->tensor->device;
    }
    for (const std::string& symbol : type->unknown_symbols) text += "?" + symbol;
    return text.empty() ? "nothing" : text;
}

TEST(FxTypes, TensorsAndNumbers) {
    for (const auto& [annotation, text] : std::vector<std::pair<std::string, std::string>>{
             {"f32[4, 8][8, 1]cuda:0", "float32 4 8 by 8 1 on cuda"},
             {"bf16[4]", "bfloat16 4 on "},
             {"i64[][]cpu", "int64 by on cpu"},
             {"f32[ 4 , 8 ][8, 1]cpu", "float32 4 8 by 8 1 on cpu"},
             {"Sym(s0)", "value 8"},
             {"Sym(s9)", "?s9"},
             {"Sym(2*s0)", "value 16"},
             {"Sym(s0", "none"},
             {"Sym(s0 + u0)", "value 11"},
             {"Sym(s0 - u0)", "value 5"},
             {"Sym(-u0)", "value -3"},
             {"Sym(+u0)", "nothing"},
             {"Sym(s0 // u0)", "value 2"},
             {"Sym((u0 - s0) // u0)", "value -2"},
             {"Sym((u0 - u0) // s0)", "value 0"},
             {"Sym(s0 // (u0 - s0))", "nothing"},
             {"Sym(s0 // 0)", "nothing"},
             {"Sym(s0 % u0)", "nothing"},
             {"Sym(9223372036854775807 + s0)", "nothing"},
             {"Sym(-9223372036854775807 - s0)", "nothing"},
             {"Sym(9223372036854775807 * s0)", "nothing"},
             {"Sym(99999999999999999999)", "nothing"},
             {"Sym(s1 + s2)", "?s1?s2"},
             {"Sym(Max(s0, 1))", "?Max(s0, 1)"},
             {"Sym(s0 s0)", "?s0 s0"},
             {"Sym(s0 +)", "?s0 +"},
             {"f32[s0, (u0 + 1)*2][(u0 + 1)*2, 1]cpu", "float32 8 8 by 8 1 on cpu"},
             {"f32[Max(1, 2), 4][4, 1]cpu", "?Max(1, 2)"},
             {"f32[s9, 4][4, 1]cpu", "?s9"},
             {"f32[u0 - s0]", "nothing"},
             {"f32[4][1, 1]cpu", "none"},
             {"f32[4", "none"},
             {"f32", "none"},
             {"f33[4]", "none"},
             {"f32[4][1]a device!", "none"},
             {"Parameter(f32[4, 8][8, 1]cuda:0)", "float32 4 8 by 8 1 on cuda"},
             {"DTensor(f32[4][1]cpu, mesh)", "float32 4 by 1 on cpu"},
             {"Parameter(f32)", "none"},
             {"Parameter(f32[4]", "none"},
         }) {
        EXPECT_EQ(type_text(annotation), text) << annotation;
    }
}

TEST(FxTypes, TensorsHaveAtMost64Dimensions) {
    const auto annotation = [](int dimensions) {
        std::string sizes;
        for (int dimension = 0; dimension < dimensions; ++dimension) sizes += dimension == 0 ? "1" : ", 1";
        return "f32[" + sizes + "]cpu";
    };
    EXPECT_NE(type_text(annotation(64)), "none");
    EXPECT_EQ(type_text(annotation(65)), "none");
}

}  // namespace
}  // namespace overlap
