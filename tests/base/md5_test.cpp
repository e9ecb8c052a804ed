#include "core/base/md5.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

/// The test suite of RFC 1321.
TEST(Md5, IsThatOfTheStandard) {
    EXPECT_EQ(md5_hexadecimal(""), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(md5_hexadecimal("a"), "0cc175b9c0f1b6a831c399e269772661");
    EXPECT_EQ(md5_hexadecimal("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    EXPECT_EQ(md5_hexadecimal("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
              "d174ab98d277d9f5a5611c2c9f419d9f");
    EXPECT_EQ(md5_hexadecimal("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
              "57edf4a22be3c955ac49da2e2107b67a");
}

}  // namespace
}  // namespace overlap
