#include "core/job/chakra/chakra_writer.h"

#include <array>
#include <cmath>
#include <utility>

#include "core/exports/protobuf_writer.h"

namespace overlap::job {

namespace {

// Field numbers of et_def.proto.
namespace header_field {
constexpr std::uint32_t version = 1;
}
namespace node_field {
constexpr std::uint32_t id = 1, name = 2, type = 3, control = 4, start_us = 6, duration_us = 7, attribute = 10;
}
namespace attribute_field {
constexpr std::uint32_t name = 1, int32 = 7, int64 = 9, boolean = 27, text = 29;
}

ProtobufMessage attribute(std::string_view name) {
    ProtobufMessage message;
    message.text(attribute_field::name, name);
    return message;
}

std::uint64_t microseconds(double ms) {
    return static_cast<std::uint64_t>(std::llround(ms * 1e3));
}

}  // namespace

std::uint64_t chakra_collective(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::uint64_t>, 9> numbers = {{{"all_reduce", 0},
                                                                                    {"reduce", 1},
                                                                                    {"all_gather", 2},
                                                                                    {"gather", 3},
                                                                                    {"scatter", 4},
                                                                                    {"broadcast", 5},
                                                                                    {"all_to_all", 6},
                                                                                    {"reduce_scatter", 7},
                                                                                    {"barrier", 9}}};
    for (const auto& [known, number] : numbers)
        if (known == name) return number;
    return 0;
}

ChakraTrace::ChakraTrace() {
    ProtobufMessage header;
    header.text(header_field::version, "1.0.0");
    append(header.bytes());
}

void ChakraTrace::append(const std::string& message) {
    std::uint64_t length = message.size();
    for (; length >= 0x80; length >>= 7) bytes_ += static_cast<char>((length & 0x7f) | 0x80);
    bytes_ += static_cast<char>(length);
    bytes_ += message;
}

void ChakraTrace::add(std::uint64_t id, std::string_view name, ChakraNode type, std::span<const std::uint64_t> after,
                      double start_ms, double duration_ms, const Communication* communication) {
    ProtobufMessage node;
    node.integer(node_field::id, id).text(node_field::name, name);
    node.integer(node_field::type, static_cast<std::uint64_t>(type));
    for (const std::uint64_t before : after) node.integer(node_field::control, before);
    node.integer(node_field::start_us, microseconds(start_ms));
    node.integer(node_field::duration_us, microseconds(duration_ms));
    node.message(node_field::attribute, attribute("is_cpu_op").integer(attribute_field::boolean, 0));
    if (communication) {
        const auto whole = [&](std::string_view key, std::uint64_t value, std::uint32_t field) {
            node.message(node_field::attribute, attribute(key).integer(field, value));
        };
        const auto text = [&](std::string_view key, std::string_view value) {
            node.message(node_field::attribute, attribute(key).text(attribute_field::text, value));
        };
        whole("comm_size", communication->bytes, attribute_field::int64);
        if (type == ChakraNode::collective) {
            whole("comm_type", communication->collective, attribute_field::int64);
            // ASTRA-sim reads the name as a number; PyTorch calls what people read the description.
            text("pg_name", std::to_string(communication->group));
            text("pg_desc", communication->group_name);
        } else {
            whole("comm_src", static_cast<std::uint64_t>(communication->from), attribute_field::int32);
            whole("comm_dst", static_cast<std::uint64_t>(communication->to), attribute_field::int32);
            whole("comm_tag", static_cast<std::uint64_t>(communication->tag), attribute_field::int32);
        }
    }
    append(node.bytes());
}

}  // namespace overlap::job
