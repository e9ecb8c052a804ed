#include "tests/virtual_device/rates.h"

#include <algorithm>
#include <cmath>

#include "tests/virtual_device/settings.h"

namespace overlap::virtual_device {

namespace {

constexpr double memory_bytes_per_s = 3350e9 * 0.8;
constexpr double flops_efficiency = 0.65;
constexpr double link_latency_ms = 0.02, link_bytes_per_s = 180e9;
constexpr double host_link_bytes_per_s = 64e9 * 0.85;
constexpr double ns_per_ms = 1e6;

double flops_per_s(Number type) {
    switch (type) {
        case Number::bits_8:
            return 1979e12;
        case Number::bits_16:
            return 989e12;
        case Number::bits_32:
            return 494e12;
        case Number::bits_64:
            return 494e12;  // what the cost model does not list has the rate of float32
    }
    return 0;
}

std::int64_t longer_ns(double flops, double rate, std::int64_t bytes) {
    const double ms =
        std::max(static_cast<double>(bytes) / memory_bytes_per_s * 1000, flops / (rate * flops_efficiency) * 1000);
    return std::llround(ms * ns_per_ms * settings().compute_scale);
}

}  // namespace

std::int64_t bytes_of(Number type) {
    switch (type) {
        case Number::bits_8:
            return 1;
        case Number::bits_16:
            return 2;
        case Number::bits_32:
            return 4;
        case Number::bits_64:
            return 8;
    }
    return 0;
}

std::int64_t product_ns(Number factors, std::int64_t batch, std::int64_t rows, std::int64_t inner, std::int64_t columns,
                        std::int64_t operand_bytes) {
    const double flops = 2.0 * static_cast<double>(batch) * static_cast<double>(rows) * static_cast<double>(inner) *
                         static_cast<double>(columns);
    return longer_ns(flops, flops_per_s(factors), operand_bytes);
}

std::int64_t flops_ns(double flops, std::int64_t bytes) {
    return longer_ns(flops, flops_per_s(Number::bits_16), bytes);
}

std::int64_t move_ns(std::int64_t bytes) {
    return std::llround(static_cast<double>(bytes) / memory_bytes_per_s * 1000 * ns_per_ms * settings().compute_scale);
}

std::int64_t host_copy_ns(std::int64_t bytes) {
    const double ms = static_cast<double>(bytes) / host_link_bytes_per_s * 1000;
    return std::llround(ms * ns_per_ms * settings().host_scale);
}

std::int64_t collective_ns(std::int64_t bytes) {
    const double ms = link_latency_ms + static_cast<double>(bytes) / link_bytes_per_s * 1000;
    return std::llround(ms * ns_per_ms * settings().link_scale);
}

}  // namespace overlap::virtual_device
