#pragma once

#include <cstdint>

namespace overlap::virtual_device {

// What the device's work takes, in whole nanoseconds as graphs have their estimates. The rates are those of the cost
// model of the sample graphs (`H100 SXM (model)`), so that its predictions and the device can be compared digit by
// digit.

enum class Number : std::uint8_t { bits_8, bits_16, bits_32, bits_64 };

/// The longer of the operations at the device's rate and the bytes of the operands at that of its memory.
/// @param factors their numbers. @param operand_bytes of all operands.
std::int64_t product_ns(Number factors, std::int64_t batch, std::int64_t rows, std::int64_t inner, std::int64_t columns,
                        std::int64_t operand_bytes);
/// Operations on numbers of 16 bits beside as many bytes.
std::int64_t flops_ns(double flops, std::int64_t bytes);
std::int64_t move_ns(std::int64_t bytes);
/// @param bytes the larger of what a rank sends and of what it receives.
std::int64_t collective_ns(std::int64_t bytes);

/// A copy between device and host.
std::int64_t host_copy_ns(std::int64_t bytes);

std::int64_t bytes_of(Number type);

}  // namespace overlap::virtual_device
