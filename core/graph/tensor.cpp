#include "core/graph/tensor.h"

#include <array>

namespace overlap {

namespace {

// Every dtype of torch 2.15.0. The index is the first place of the type in the alphabetical list of torch's attributes
// (aliases such as `double` come before `float64`), which `bucketing._pre_bucket_all_gather` takes as an argument.
constexpr std::array dtypes = std::to_array<DtypeInfo>({
    {"bcomplex32", 4, 0},
    {"bfloat16", 2, 1},
    {"uint1", 1, 2},
    {"bits16", 2, 3},
    {"bits1x8", 1, 4},
    {"bits2x4", 1, 5},
    {"bits4x2", 1, 6},
    {"bits8", 1, 7},
    {"bool", 1, 8},
    {"complex128", 16, 9},
    {"complex64", 8, 10},
    {"complex32", 4, 11},
    {"float64", 8, 15},
    {"float32", 4, 16},
    {"float16", 2, 17},
    {"float4_e2m1fn_x2", 1, 19},
    {"float8_e4m3fn", 1, 21},
    {"float8_e4m3fnuz", 1, 22},
    {"float8_e5m2", 1, 23},
    {"float8_e5m2fnuz", 1, 24},
    {"float8_e8m0fnu", 1, 25},
    {"int32", 4, 27},
    {"int1", 1, 28},
    {"int16", 2, 29},
    {"int2", 1, 30},
    {"int3", 1, 31},
    {"int4", 1, 33},
    {"int5", 1, 34},
    {"int6", 1, 35},
    {"int64", 8, 36},
    {"int7", 1, 37},
    {"int8", 1, 38},
    {"qint32", 4, 40},
    {"qint8", 1, 41},
    {"quint2x4", 1, 42},
    {"quint4x2", 1, 43},
    {"quint8", 1, 44},
    {"uint16", 2, 47},
    {"uint2", 1, 48},
    {"uint3", 1, 49},
    {"uint32", 4, 50},
    {"uint4", 1, 51},
    {"uint5", 1, 52},
    {"uint6", 1, 53},
    {"uint64", 8, 54},
    {"uint7", 1, 55},
    {"uint8", 1, 56},
});

}  // namespace

const DtypeInfo& dtype_info(Dtype dtype) {
    return dtypes[static_cast<std::size_t>(dtype)];
}

std::optional<Dtype> dtype_by_name(std::string_view name) {
    for (std::size_t index = 0; index < dtypes.size(); ++index) {
        if (dtypes[index].name == name) return static_cast<Dtype>(index);
    }
    return std::nullopt;
}

}  // namespace overlap
