#include "core/mesh/sharding_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/wording.h"

namespace overlap {

namespace {

/// A placement and the numbers in brackets behind it.
struct Token {
    Placement placement;
    std::vector<int> numbers;
    bool has_numbers = false;
    bool is_place = false;  ///< written `<1>`, which only ever means a place in the order
};

class StateReader {
  public:
    StateReader(std::string_view text, int mesh_dims) : text_(text), mesh_dims_(mesh_dims) {}

    ShardingState read() {
        read_tokens();
        return is_tensor_centric() ? by_tensor_dims() : by_mesh_dims();
    }

  private:
    [[noreturn]] void fail(std::string problem) const {
        throw InputError("state \"" + std::string(text_) + "\"", std::move(problem));
    }

    void read_tokens() {
        std::string_view rest = text_;
        while (true) {
            while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
            if (rest.empty()) break;
            Token token{take_placement(rest), {}, false, false};
            if (!rest.empty() && (rest.front() == '[' || rest.front() == '<')) read_numbers(rest, token);
            if (tokens_.size() == DeviceMesh::dims_limit)
                fail("it has more than " + std::to_string(DeviceMesh::dims_limit) +
                     " placements, and no mesh has more dimensions");
            tokens_.push_back(std::move(token));
        }
        if (tokens_.empty()) fail("a state has one placement for each mesh dimension");
    }

    void read_numbers(std::string_view& rest, Token& token) const {
        token.has_numbers = true;
        token.is_place = rest.front() == '<';
        const char closing = token.is_place ? '>' : ']';
        do {
            rest.remove_prefix(1);
            while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
            int number = 0;
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
            if (error != std::errc() || number < 0) fail("expected a number in the brackets");
            token.numbers.push_back(number);
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        } while (!rest.empty() && rest.front() == ',');
        if (rest.empty() || rest.front() != closing) fail("a closing bracket is missing");
        rest.remove_prefix(1);
    }

    bool is_tensor_centric() const {
        bool any_brackets = false, repeats = false;
        for (std::size_t index = 0; index < tokens_.size(); ++index) {
            const Token& token = tokens_[index];
            if (token.is_place) return false;
            if (token.has_numbers && (!token.placement.cuts() || token.numbers.size() > 1)) return true;
            any_brackets |= token.has_numbers;
            for (std::size_t other = 0; other < index; ++other)
                repeats |= token.placement.cuts() && tokens_[other].placement.cuts() &&
                           tokens_[other].placement.tensor_dim == token.placement.tensor_dim;
        }
        return any_brackets && !repeats;
    }

    ShardingState by_tensor_dims() const {
        std::vector<std::optional<Placement>> placements(static_cast<std::size_t>(mesh_dims_));
        ShardOrder order;
        for (const Token& token : tokens_) {
            if (!token.has_numbers) fail(to_text(token.placement) + " does not say its mesh dimensions");
            for (const int mesh_dim : token.numbers) {
                if (mesh_dim >= mesh_dims_) fail_mesh_dim(mesh_dim, "does not exist");
                std::optional<Placement>& placement = placements[static_cast<std::size_t>(mesh_dim)];
                if (placement) fail_mesh_dim(mesh_dim, "is there twice");
                placement = token.placement;
            }
            if (!token.placement.cuts()) continue;
            for (const ShardOrderEntry& entry : order)
                if (entry.tensor_dim == token.placement.tensor_dim)
                    fail("tensor dimension " + std::to_string(entry.tensor_dim) + " is there twice");
            order.push_back({token.placement.tensor_dim, token.numbers});
        }
        std::sort(order.begin(), order.end(), [](const ShardOrderEntry& left, const ShardOrderEntry& right) {
            return left.tensor_dim < right.tensor_dim;
        });
        ShardingState state;
        for (std::size_t mesh_dim = 0; mesh_dim < placements.size(); ++mesh_dim) {
            if (!placements[mesh_dim]) fail_mesh_dim(static_cast<int>(mesh_dim), "is missing");
            state.placements.push_back(*placements[mesh_dim]);
        }
        state.shard_order = std::move(order);
        return state;
    }

    [[noreturn]] void fail_mesh_dim(int mesh_dim, const std::string& problem) const {
        fail("mesh dimension " + std::to_string(mesh_dim) + " " + problem);
    }

    ShardingState by_mesh_dims() const {
        if (static_cast<int>(tokens_.size()) != mesh_dims_)
            fail("it has " + counted(tokens_.size(), "placement") + ", the mesh has " +
                 counted(static_cast<std::size_t>(mesh_dims_), "dimension"));
        std::vector<Placement> placements;
        for (const Token& token : tokens_) placements.push_back(token.placement);
        ShardingState state = state_in_default_order(std::move(placements));
        const bool any_brackets =
            std::any_of(tokens_.begin(), tokens_.end(), [](const Token& token) { return token.has_numbers; });
        if (any_brackets)
            for (ShardOrderEntry& entry : state.shard_order) put_in_order(entry);
        return state;
    }

    /// Mesh dimensions of one tensor dimension, sorted by the places that the text gives them.
    void put_in_order(ShardOrderEntry& entry) const {
        std::vector<int> by_place(entry.mesh_dims.size(), -1);
        if (entry.mesh_dims.size() == 1 && !tokens_[static_cast<std::size_t>(entry.mesh_dims[0])].has_numbers) return;
        for (const int mesh_dim : entry.mesh_dims) {
            const Token& token = tokens_[static_cast<std::size_t>(mesh_dim)];
            if (token.numbers.size() != 1)
                fail(to_text(token.placement) + " of mesh dimension " + std::to_string(mesh_dim) +
                     " does not say its place in the order");
            const int place = token.numbers[0];
            if (place >= static_cast<int>(by_place.size()) || by_place[static_cast<std::size_t>(place)] >= 0)
                fail("the places of tensor dimension " + std::to_string(entry.tensor_dim) + " are 0 to " +
                     std::to_string(by_place.size() - 1) + ", each once");
            by_place[static_cast<std::size_t>(place)] = mesh_dim;
        }
        entry.mesh_dims = std::move(by_place);
    }

    std::string_view text_;
    int mesh_dims_;
    std::vector<Token> tokens_;
};

/// `[0,2]` of the mesh dimensions that `chosen` picks; empty when it picks none.
template <typename Chosen>
std::string bracketed_mesh_dims(const ShardingState& state, Chosen chosen) {
    std::string text;
    for (std::size_t mesh_dim = 0; mesh_dim < state.placements.size(); ++mesh_dim)
        if (chosen(state.placements[mesh_dim])) {
            text += text.empty() ? "[" : ",";
            text += std::to_string(mesh_dim);
        }
    return text.empty() ? text : text + "]";
}

/// torch 2.15's `torch.dtype.abbr`; other dtypes are their own names.
std::string_view dtype_abbreviation(std::string_view dtype) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 28> abbreviations = {{
        {"bcomplex32", "bc32"},
        {"bfloat16", "bf16"},
        {"bits16", "b16x1"},
        {"bits1x8", "b1x8"},
        {"bits2x4", "b2x4"},
        {"bits4x2", "b4x2"},
        {"bits8", "b8x1"},
        {"bool", "b8"},
        {"complex128", "c128"},
        {"complex32", "c32"},
        {"complex64", "c64"},
        {"float16", "f16"},
        {"float32", "f32"},
        {"float4_e2m1fn_x2", "f4e2m1fnx2"},
        {"float64", "f64"},
        {"float8_e4m3fn", "f8e4m3fn"},
        {"float8_e4m3fnuz", "f8e4m3fnuz"},
        {"float8_e5m2", "f8e5m2"},
        {"float8_e5m2fnuz", "f8e5m2fnuz"},
        {"float8_e8m0fnu", "f8e8m0fnu"},
        {"int16", "i16"},
        {"int32", "i32"},
        {"int64", "i64"},
        {"int8", "i8"},
        {"uint16", "u16"},
        {"uint32", "u32"},
        {"uint64", "u64"},
        {"uint8", "u8"},
    }};
    for (const auto& [name, abbreviation] : abbreviations)
        if (name == dtype) return abbreviation;
    return dtype;
}

}  // namespace

std::string to_text(const ShardingState& state) {
    std::string text;
    for (std::size_t mesh_dim = 0; mesh_dim < state.placements.size(); ++mesh_dim) {
        const Placement& placement = state.placements[mesh_dim];
        text += to_text(placement);
        if (!placement.cuts()) continue;
        const std::vector<int> order = mesh_dims_of(state.shard_order, placement.tensor_dim);
        const auto place = std::find(order.begin(), order.end(), static_cast<int>(mesh_dim));
        if (order.size() > 1 && place != order.end())
            text.append("[").append(std::to_string(place - order.begin())).append("]");
    }
    return text;
}

std::string to_tensor_centric_text(const ShardingState& state) {
    std::string text;
    for (const ShardOrderEntry& entry : state.shard_order) {
        text += to_text(state.placements[static_cast<std::size_t>(entry.mesh_dims.front())]);
        for (std::size_t place = 0; place < entry.mesh_dims.size(); ++place) {
            text += place == 0 ? "[" : ",";
            text += std::to_string(entry.mesh_dims[place]);
        }
        text += "]";
    }
    const std::string replicated =
        bracketed_mesh_dims(state, [](const Placement& placement) { return placement.is_replicate(); });
    if (!replicated.empty()) text += "R" + replicated;
    for (int op = 0; op <= static_cast<int>(ReduceOp::bxor); ++op) {
        const Placement partial = Placement::partial(static_cast<ReduceOp>(op));
        const std::string dims =
            bracketed_mesh_dims(state, [&](const Placement& placement) { return placement == partial; });
        if (!dims.empty()) text += to_text(partial) + dims;
    }
    return text;
}

ShardingState parse_state(std::string_view text, int mesh_dims) {
    return StateReader(text, mesh_dims).read();
}

std::string spec_text(const ShardingState& state, const MeshTensor& tensor) {
    std::string text = "Spec(" + std::string(dtype_abbreviation(tensor.dtype)) + "[";
    for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
        if (dim > 0) text += ", ";
        text += std::to_string(tensor.shape[dim]);
    }
    return text + "](" + to_text(state) + "))";
}

}  // namespace overlap
