#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// A message of protocol buffers, field by field, in the wire format (protobuf.dev/programming-guides/encoding): a key
/// of field number and wire type, then the value. Field numbers are named where messages are written.
class ProtobufMessage {
  public:
    /// Integers, enumerations and booleans: wire type 0, seven bits a byte, the lowest first.
    ProtobufMessage& integer(std::uint32_t field, std::uint64_t value) {
        return varint(std::uint64_t{field} << 3).varint(value);
    }
    /// fixed64 and double: wire type 1, eight bytes, the lowest first.
    ProtobufMessage& fixed(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3 | 1);
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xff);
        return *this;
    }
    ProtobufMessage& number(std::uint32_t field, double value) {
        return fixed(field, std::bit_cast<std::uint64_t>(value));
    }
    /// Strings and messages: wire type 2, the length, then the bytes.
    ProtobufMessage& text(std::uint32_t field, std::string_view value) {
        varint(std::uint64_t{field} << 3 | 2).varint(value.size());
        bytes_ += value;
        return *this;
    }
    ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) { return text(field, value.bytes_); }

    const std::string& bytes() const { return bytes_; }

  private:
    ProtobufMessage& varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
        bytes_ += static_cast<char>(value);
        return *this;
    }

    std::string bytes_;
};

}  // namespace overlap
