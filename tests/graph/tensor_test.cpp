#include "core/graph/tensor.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(Dtype, NamesAndSizesAreTorchs) {
    EXPECT_EQ(dtype_info(*dtype_by_name("bfloat16")).bytes, 2);
    EXPECT_EQ(dtype_info(*dtype_by_name("float32")).bytes, 4);
    EXPECT_EQ(dtype_info(*dtype_by_name("bool")).bytes, 1);
    EXPECT_EQ(dtype_info(*dtype_by_name("complex128")).bytes, 16);
    EXPECT_EQ(dtype_info(*dtype_by_name("float8_e4m3fn")).bytes, 1);
    EXPECT_EQ(dtype_info(*dtype_by_name("uint64")).name, "uint64");
    EXPECT_EQ(dtype_info(*dtype_by_name("bcomplex32")).bytes, 4) << "the first of all";
    EXPECT_EQ(dtype_info(*dtype_by_name("uint8")).bytes, 1) << "the last";
    EXPECT_FALSE(dtype_by_name("double"));
    EXPECT_FALSE(dtype_by_name("torch.float32"));
    EXPECT_FALSE(dtype_by_name(""));
}

}  // namespace
}  // namespace overlap
