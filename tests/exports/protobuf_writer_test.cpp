#include "core/exports/protobuf_writer.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

// The examples of the specification of the wire format.
TEST(ProtobufMessage, WritesTheWireFormat) {
    EXPECT_EQ(ProtobufMessage().integer(1, 150).bytes(), "\x08\x96\x01");
    EXPECT_EQ(ProtobufMessage().text(2, "testing").bytes(), "\x12\x07testing");
    EXPECT_EQ(ProtobufMessage().message(3, ProtobufMessage().integer(1, 150)).bytes(), "\x1a\x03\x08\x96\x01");
}

TEST(ProtobufMessage, WritesLargeNumbers) {
    EXPECT_EQ(ProtobufMessage().integer(60, ~std::uint64_t{0}).bytes(),
              "\xe0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    EXPECT_EQ(ProtobufMessage().fixed(1, 0x0102030405060708).bytes(), "\x09\x08\x07\x06\x05\x04\x03\x02\x01");
    EXPECT_EQ(ProtobufMessage().number(1, 1.0).bytes(), std::string_view("\x09\0\0\0\0\0\0\xf0\x3f", 9));
}

}  // namespace
}  // namespace overlap
