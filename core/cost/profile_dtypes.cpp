// Names of dtypes in profiles: those of operators' inputs, those of collectives.

#include <algorithm>
#include <array>
#include <cctype>

#include "core/cost/profile_tables.h"

namespace overlap {

namespace {

using NamePair = std::pair<std::string_view, std::string_view>;

template <std::size_t Size>
std::optional<std::string_view> second_of(const std::array<NamePair, Size>& pairs, std::string_view first) {
    const auto found =
        std::find_if(pairs.begin(), pairs.end(), [&](const NamePair& pair) { return pair.first == first; });
    return found == pairs.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<Dtype> dtype_of_input_type(std::string_view type) {
    // torch/_inductor/analysis/profile_analysis.py, `_dtype_map`.
    static constexpr auto names = std::to_array<NamePair>({
        {"float", "float32"},
        {"float32", "float32"},
        {"double", "float64"},
        {"float64", "float64"},
        {"int", "int32"},
        {"int8", "int8"},
        {"int16", "int16"},
        {"int32", "int32"},
        {"long", "int64"},
        {"long int", "int64"},
        {"signed char", "int8"},
        {"unsigned char", "uint8"},
        {"bool", "bool"},
        {"bfloat16", "bfloat16"},
        {"float16", "float16"},
        {"c10::BFloat16", "bfloat16"},
        {"c10::Half", "float16"},
        {"c10::complex<float>", "complex64"},
        {"c10::complex<double>", "complex128"},
    });
    const std::optional<std::string_view> name = second_of(names, type);
    return name ? dtype_by_name(*name) : std::nullopt;
}

std::string c10_dtype_name(Dtype dtype) {
    static constexpr auto names = std::to_array<NamePair>({
        {"bcomplex32", "BComplex32"},
        {"bfloat16", "BFloat16"},
        {"complex128", "ComplexDouble"},
        {"complex32", "ComplexHalf"},
        {"complex64", "ComplexFloat"},
        {"float16", "Half"},
        {"float32", "Float"},
        {"float64", "Double"},
        {"int16", "Short"},
        {"int32", "Int"},
        {"int64", "Long"},
        {"int8", "Char"},
        {"uint8", "Byte"},
        {"qint32", "quantized.QInt32"},
        {"qint8", "quantized.QInt8"},
        {"quint2x4", "quantized.QUInt2x4"},
        {"quint4x2", "quantized.QUInt4x2"},
        {"quint8", "quantized.QUInt8"},
    });
    const std::string_view torch_name = dtype_info(dtype).name;
    if (const std::optional<std::string_view> name = second_of(names, torch_name)) return std::string(*name);
    // The others are torch's own names, with the words "int", "uint" and the first letter in upper case.
    std::string name(torch_name);
    const std::size_t letters = name.starts_with("uint") ? 2 : 1;
    for (std::size_t letter = 0; letter < letters; ++letter) {
        name[letter] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[letter])));
    }
    return name;
}

}  // namespace overlap
