#include "core/run/collective_support.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/quote.h"

namespace overlap {

namespace {

template <std::size_t Count>
bool contains(const std::array<std::string_view, Count>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_kind(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::all_reduce:
        case CollectiveKind::all_to_all:
        case CollectiveKind::broadcast:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool nccl_has_type(Dtype dtype) {
    constexpr auto types =
        std::to_array<std::string_view>({"bfloat16", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2",
                                         "int8", "uint8", "bool", "int32", "uint32", "int64", "uint64"});
    return contains(types, dtype_info(dtype).name);
}

std::string nccl_obstacle(const CollectiveWork& work) {
    constexpr auto reductions = std::to_array<std::string_view>({"sum", "avg", "max", "min", "product"});
    if (!has_kind(work.kind)) return "NCCL has no collective " + std::string(collective_kind_name(work.kind));
    const bool reduces = work.kind == CollectiveKind::all_reduce || work.kind == CollectiveKind::reduce_scatter;
    if (reduces && !contains(reductions, work.reduction)) return "NCCL has no reduction " + in_quotes(work.reduction);
    for (const Message& message : work.messages) {
        if (!nccl_has_type(message.dtype))
            return "NCCL has no element type " + std::string(dtype_info(message.dtype).name);
    }
    return {};
}

}  // namespace overlap
