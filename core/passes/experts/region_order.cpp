#include "core/passes/experts/region_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/graph/device_text.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

namespace {

/// Nodes of a region, as places in its list.
using Places = std::vector<std::uint32_t>;

/// What comes before the first exchange of a half, around the copies of token counts.
struct CountCopies {
    Places before, copies, after, launches;
};

/// Orders one region.
class Orderer {
  public:
    Orderer(const Graph& graph, const ChunkedRegion& region, const TokenExchanges& exchanges, bool pair_first,
            std::string_view pass)
        : graph_(graph),
          region_(region),
          exchanges_(exchanges),
          pair_first_(pair_first),
          pass_(pass),
          chunk_order_(region.is_backward ? std::array<std::uint8_t, 2>{1, 0} : std::array<std::uint8_t, 2>{0, 1}) {}

    RegionOrder run() {
        prepare();
        for (const std::uint8_t chunk : chunk_order_) find_closures(chunk);
        find_count_copies();
        const std::size_t count = exchanges_.of_chunk[0].size();
        for (std::size_t exchange = 0; exchange < count; ++exchange) {
            if (exchange == 0 && pair_first_) {
                emit_first_exchanges_together();
            } else {
                for (const std::uint8_t chunk : chunk_order_) emit_up_to_exchange(chunk, exchange);
            }
            fill_behind(exchange);
        }
        emit_rest();
        return std::move(order_);
    }

  private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw PassRefusal(std::string(pass_), "module " + region_.text(), reason + ": torchtitan raises a ValueError");
    }

    std::size_t size() const { return region_.nodes.size(); }

    void prepare() {
        find_users();
        missing_.resize(size());
        emitted_.resize(size());
        reached_.resize(size());
        candidate_.resize(size());
        collective_.resize(size());
        for (std::uint32_t node = 0; node < size(); ++node) {
            missing_[node] = static_cast<std::uint32_t>(region_.dependencies(node).size());
            collective_[node] = graph_.op(region_.nodes[node]) == NodeOp::call_function &&
                                graph_.target(region_.nodes[node]).starts_with("_c10d_functional.");
        }
    }

    void find_users() {
        first_user_.assign(size() + 1, 0);
        for (const std::uint32_t input : region_.dependency_list) ++first_user_[input + 1];
        for (std::size_t node = 0; node < size(); ++node) first_user_[node + 1] += first_user_[node];
        users_.resize(region_.dependency_list.size());
        std::vector<std::uint32_t> end(first_user_.begin(), first_user_.end() - 1);
        for (std::uint32_t node = 0; node < size(); ++node) {
            for (const std::uint32_t input : region_.dependencies(node)) users_[end[input]++] = node;
        }
    }
    std::span<const std::uint32_t> users(std::uint32_t node) const {
        return std::span(users_).subspan(first_user_[node], first_user_[node + 1] - first_user_[node]);
    }

    /// What `from` depends on, itself included, in the order of the graph, of those nodes that `in` lets pass.
    template <typename In>
    Places ancestors(const Places& from, const In& in) {
        std::ranges::fill(reached_, std::uint8_t{0});
        Places pending, found;
        std::uint32_t end = 0;
        const auto reach = [&](std::uint32_t node) {
            if (reached_[node] != 0 || !in(node)) return;
            reached_[node] = 1;
            end = std::max(end, node + 1);
            pending.push_back(node);
        };
        for (const std::uint32_t node : from) reach(node);
        while (!pending.empty()) {
            const std::uint32_t node = pending.back();
            pending.pop_back();
            for (const std::uint32_t input : region_.dependencies(node)) reach(input);
        }
        for (std::uint32_t node = 0; node < end; ++node) {
            if (reached_[node] != 0) found.push_back(node);
        }
        return found;
    }

    void find_closures(std::uint8_t chunk) {
        const std::vector<TokenExchange>& exchanges = exchanges_.of_chunk[chunk];
        needed_until_[chunk].assign(size(), 0);
        for (std::size_t index = 0; index < exchanges.size(); ++index) {
            closures_[chunk].push_back(ancestors({exchanges[index].launch}, [](std::uint32_t) { return true; }));
            for (const std::uint32_t node : closures_[chunk].back()) needed_until_[chunk][node] = index + 1;
            for (std::size_t later = index + 1; later < exchanges.size(); ++later) {
                if (reached_[exchanges[later].launch] == 0) continue;
                refuse(in_quotes(graph_.name(region_.nodes[exchanges[index].launch])) +
                       " needs a later exchange of its half, " +
                       in_quotes(graph_.name(region_.nodes[exchanges[later].launch])));
            }
        }
    }

    void find_count_copies() {
        for (const std::uint8_t chunk : chunk_order_) {
            const Places& closure = closures_[chunk].front();
            for (std::uint32_t node = 0; node < size(); ++node) {
                if (region_.chunk[node] != chunk || exchanges_.is_count_copy[node] == 0) continue;
                if (std::ranges::binary_search(closure, node)) continue;
                refuse(in_quotes(graph_.name(region_.nodes[node])) +
                       " copies token counts behind the first exchange of its half");
            }
            parts_[chunk] = around_copies(closure);
        }
        if (parts_[0].has_value() != parts_[1].has_value()) refuse("only one of its halves copies token counts");
    }

    std::optional<CountCopies> around_copies(const Places& closure) {
        CountCopies parts;
        for (const std::uint32_t node : closure) {
            if (exchanges_.is_count_copy[node] != 0) parts.copies.push_back(node);
        }
        if (parts.copies.empty()) return {};
        if (parts.copies.size() != 2)
            refuse("a half copies token counts " + counted(parts.copies.size(), "time") + ", expected two");
        for (const std::uint32_t node : parts.copies) {
            if (!goes_to_host(region_.nodes[node])) {
                refuse(in_quotes(graph_.name(region_.nodes[node])) + " copies token counts, but not to the CPU");
            }
        }
        Places inputs;
        for (const std::uint32_t copy : parts.copies) {
            inputs.insert(inputs.end(), region_.dependencies(copy).begin(), region_.dependencies(copy).end());
        }
        parts.before = ancestors(inputs, [&](std::uint32_t node) { return std::ranges::binary_search(closure, node); });
        for (const std::uint32_t node : closure) {
            if (exchanges_.is_launch[node] != 0) parts.launches.push_back(node);
            const bool is_placed = exchanges_.is_launch[node] != 0 || exchanges_.is_count_copy[node] != 0 ||
                                   std::ranges::binary_search(parts.before, node);
            if (!is_placed) parts.after.push_back(node);
        }
        return parts;
    }

    bool goes_to_host(NodeId node) const {
        const Value* device = graph_.keyword(node, "device");
        if (device && (device->is(ValueKind::device) || device->is(ValueKind::string)))
            return is_on_cpu(graph_.text(device->string));
        const auto outputs = graph_.outputs(node);
        return outputs.size() == 1 && outputs.front().is_tensor && is_on_cpu(graph_.text(outputs.front().device));
    }

    /// Emits those nodes that have not been, in this order.
    void emit(std::span<const std::uint32_t> nodes) {
        const std::size_t begin = emitting_.size();
        for (const std::uint32_t node : nodes) {
            if (emitted_[node] == 0) emitting_.push_back(node);
        }
        for (std::size_t at = begin; at < emitting_.size(); ++at) {
            const std::uint32_t node = emitting_[at];
            order_.sequence.push_back(region_.nodes[node]);
            if (emitted_[node] != 0) continue;
            emitted_[node] = 1;
            for (const std::uint32_t user : users(node)) --missing_[user];
        }
        emitting_.resize(begin);
    }

    void emit_count_copies(const Places& copies) {
        std::vector<NodeId> nodes;
        for (const std::uint32_t copy : copies) nodes.push_back(region_.nodes[copy]);
        order_.count_copies.push_back(std::move(nodes));
        emit(copies);
    }

    void emit_first_exchanges_together() {
        if (parts_[0]) {
            Places copies;
            for (const std::uint8_t chunk : chunk_order_) emit(parts_[chunk]->before);
            for (const std::uint8_t chunk : chunk_order_) {
                copies.insert(copies.end(), parts_[chunk]->copies.begin(), parts_[chunk]->copies.end());
            }
            emit_count_copies(copies);
            for (const std::uint8_t chunk : chunk_order_) emit(parts_[chunk]->after);
            for (const std::uint8_t chunk : chunk_order_) emit(parts_[chunk]->launches);
            return;
        }
        for (const bool launches : {false, true}) {
            for (const std::uint8_t chunk : chunk_order_) {
                Places nodes;
                for (const std::uint32_t node : closures_[chunk].front()) {
                    if ((exchanges_.is_launch[node] != 0) == launches) nodes.push_back(node);
                }
                emit(nodes);
            }
        }
    }

    void emit_up_to_exchange(std::uint8_t chunk, std::size_t exchange) {
        if (exchange > 0 || !parts_[chunk]) return emit(closures_[chunk][exchange]);
        emit(parts_[chunk]->before);
        emit_count_copies(parts_[chunk]->copies);
        emit(parts_[chunk]->after);
        emit(parts_[chunk]->launches);
    }

    /// Emits what can run while the exchange does: compute that needs none of the later ones.
    void fill_behind(std::size_t exchange) {
        for (std::uint32_t node = 0; node < size(); ++node) {
            candidate_[node] = 0;
            if (emitted_[node] != 0 || collective_[node]) continue;
            for (const std::uint8_t chunk : chunk_order_) {
                const std::size_t until = needed_until_[chunk][node];  // the number of an exchange, from 1 on
                const bool counts =
                    until == 0 ? region_.chunk[node] == chunk : until > exchange + 1 && exchanges_.is_launch[node] == 0;
                if (counts) candidate_[node] |= static_cast<std::uint8_t>(1 << chunk);
            }
        }
        emit_ready();
    }

    /// Emits the candidates in rounds: those whose dependencies have been emitted, by half, then by place. The bits of
    /// a candidate are the halves as whose it counts.
    bool emit_ready() {
        Places ready, next, woken;
        for (std::uint32_t node = 0; node < size(); ++node) {
            if (candidate_[node] != 0 && emitted_[node] == 0 && missing_[node] == 0) ready.push_back(node);
        }
        const bool any = !ready.empty();
        while (!ready.empty()) {
            next.clear();
            for (const std::uint8_t chunk : chunk_order_) {
                for (const std::uint32_t node : ready) {
                    if ((candidate_[node] >> chunk & 1) != 0) next.push_back(node);
                }
            }
            emit(next);
            woken.clear();
            for (const std::uint32_t node : ready) {
                for (const std::uint32_t user : users(node)) {
                    if (missing_[user] == 0 && emitted_[user] == 0 && candidate_[user] != 0) woken.push_back(user);
                }
            }
            std::ranges::sort(woken);
            woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
            std::swap(ready, woken);
        }
        return any;
    }

    /// Nodes stand behind what they depend on, so that none is left over.
    void emit_rest() {
        for (bool progress = true; progress;) {
            progress = false;
            for (const std::uint8_t chunk : chunk_order_) {
                std::ranges::transform(region_.chunk, candidate_.begin(), [&](std::uint8_t of) {
                    return of == chunk ? static_cast<std::uint8_t>(1 << chunk) : std::uint8_t{0};
                });
                progress |= emit_ready();
            }
        }
    }

    const Graph& graph_;
    const ChunkedRegion& region_;
    const TokenExchanges& exchanges_;
    const bool pair_first_;
    const std::string_view pass_;
    const std::array<std::uint8_t, 2> chunk_order_;
    std::array<std::vector<Places>, 2> closures_;  ///< of each half: what each exchange needs, itself included
    /// Of each half, by node: how many of its exchanges have to come before no other one needs the node; 0 where none
    /// does.
    std::array<std::vector<std::size_t>, 2> needed_until_;
    std::array<std::optional<CountCopies>, 2> parts_;
    std::vector<std::uint32_t> users_, first_user_;  ///< of each node, as its dependencies are kept
    std::vector<std::uint32_t> missing_;             ///< dependencies that have not been emitted
    std::vector<std::uint8_t> emitted_, reached_, candidate_, collective_;
    Places emitting_;
    RegionOrder order_;
};

}  // namespace

RegionOrder region_order(const Graph& graph, const ChunkedRegion& region, const TokenExchanges& exchanges,
                         bool pair_first, std::string_view pass) {
    return Orderer(graph, region, exchanges, pair_first, pass).run();
}

}  // namespace overlap::experts
