#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/graph/string_pool.h"

namespace overlap {

/// A torch dtype: an index into the table of `dtype_info`.
enum class Dtype : std::uint8_t {};

struct DtypeInfo {
    std::string_view name;  ///< as in torch without the `torch.` prefix
    int bytes;              ///< torch's itemsize (sub-byte types count a whole byte)
    int torch_index;        ///< place in the alphabetical list of torch 2.15's dtypes, which bucketing operators encode
};

const DtypeInfo& dtype_info(Dtype dtype);
/// The dtype called `name`, or nothing.
std::optional<Dtype> dtype_by_name(std::string_view name);

/// One tensor that a node returns. Sizes and strides, in elements, are in the graph's dimension arena.
struct TensorMeta {
    bool is_tensor = false;  ///< false: this output is not a tensor (null in the file); nothing else is meaningful
    Dtype dtype{};
    std::uint8_t rank = 0;
    std::uint32_t first_dimension = 0;  ///< `rank` sizes, then `rank` strides
    StringId device = empty_string;
    std::uint32_t storage = 0;           ///< tensors with one number share memory
    std::int64_t storage_offset = 0;     ///< elements
    std::int64_t storage_bytes = 0;      ///< of the whole storage
    StringId extra_json = empty_string;  ///< unknown fields of the file, a JSON object
};

}  // namespace overlap
