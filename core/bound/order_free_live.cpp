#include "core/bound/order_free_live.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/bound/gather_results.h"
#include "core/memory/storage_table.h"

namespace overlap {
namespace {

constexpr std::size_t block_size = 64;
constexpr std::size_t most_asked = 1024;

}  // namespace

class OrderFreeLive::Finder {
  public:
    Finder(const StepWork& work, OrderFreeLive& live)
        : work_(work),
          graph_(*work.graph),
          live_(live),
          table_(graph_, StorageRule::corrected),
          own_(work_, table_),
          before_(graph_.node_count()),
          after_(graph_.node_count()),
          used_(table_.storages().size()),
          alive_(table_.storages().size()) {}

    void find() {
        live_.most_ = own_.most();
        choose_asked();
        if (work_.memory_is_fixed) results_ = gather_results(work_, table_);
        for (std::size_t index = 0; index < results_.size(); ++index)
            live_.result_bytes_[index] = results_[index].uses.empty() ? 0 : results_[index].bytes;
        live_.used_after_.assign(live_.blocks_ * work_.collectives.size(), 0);
        for (std::size_t block = 0; block < live_.blocks_ && work_.memory_is_fixed; ++block) {
            find_reach(block);
            add_bytes(block);
            for (std::size_t index = 0; index < results_.size(); ++index)
                live_.used_after_[index * live_.blocks_ + block] = used_after(index);
        }
    }

  private:
    void choose_asked() {
        const std::size_t count = work_.anchors.size();
        const std::size_t stride = std::max<std::size_t>(1, (count + most_asked - 1) / most_asked);
        for (std::size_t at = 0; at < count; at += stride)
            live_.asked_.push_back({work_.anchors[at], own_.held_bytes(), own_.held_bytes()});
        live_.blocks_ = (live_.asked_.size() + block_size - 1) / block_size;
        live_.result_bytes_.assign(work_.collectives.size(), 0);
    }

    /// Of each node, which of the block need it, and which it needs; itself included.
    void find_reach(std::size_t block) {
        std::ranges::fill(before_, 0);
        std::ranges::fill(after_, 0);
        const std::size_t first = block * block_size;
        const std::size_t count = std::min(block_size, live_.asked_.size() - first);
        for (std::size_t bit = 0; bit < count; ++bit)
            before_[live_.asked_[first + bit].node] = after_[live_.asked_[first + bit].node] = std::uint64_t{1} << bit;
        for (NodeId node = graph_.node_count(); node-- > 0;)
            for (const NodeId user : graph_.users(node)) before_[node] |= before_[user];
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            for (const NodeId input : graph_.inputs(node)) after_[node] |= after_[input];
            if (graph_.op(node) == NodeOp::output) after_[node] = ~std::uint64_t{0};  // behind everything
        }
    }

    void add_bytes(std::size_t block) {
        std::ranges::fill(used_, 0);
        std::ranges::fill(alive_, 0);
        for (NodeId node = 0; node < graph_.node_count(); ++node)
            for (const NodeId input : graph_.inputs(node))
                for (const StorageIndex storage : table_.held_by(input)) used_[storage] |= after_[node];
        const std::size_t first = block * block_size;
        const std::size_t count = std::min(block_size, live_.asked_.size() - first);
        const std::uint64_t all = count == block_size ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        for (StorageIndex index = 0; index < table_.storages().size(); ++index) {
            const Storage& storage = table_.storages()[index];
            const NodeId maker = storage.allocator;
            if (!storage.counted || !is_made_once(work_, maker)) continue;
            std::uint64_t alive = before_[maker] & used_[index] & all;
            // While it is made it is alive, also where nothing uses it.
            const std::int32_t anchor = work_.anchor_of_node[maker];
            if (anchor >= 0) alive |= before_[maker] & after_[maker] & all;
            alive_[index] = alive;
            for (; alive; alive &= alive - 1)
                live_.asked_[first + static_cast<std::size_t>(std::countr_zero(alive))].bytes += storage.bytes;
        }
        for (std::size_t bit = 0; bit < count; ++bit) {
            Asked& asked = live_.asked_[first + bit];
            asked.with_own_bytes = asked.bytes;
            for (const StorageIndex storage : own_.of(asked.node))
                if (!(alive_[storage] >> bit & 1)) asked.with_own_bytes += own_.bytes_of(storage);
        }
    }

    /// Plans may gather once or twice what has several uses, so all uses have to come after it: then those of whichever
    /// gather do.
    std::uint64_t used_after(std::size_t collective) const {
        const GatherResult& result = results_[collective];
        if (result.uses.empty()) return 0;
        std::uint64_t by_all = ~before_[work_.collectives[collective].node];
        for (const NodeId use : result.uses) by_all &= after_[use];
        return by_all;
    }

    const StepWork& work_;
    const Graph& graph_;
    OrderFreeLive& live_;
    StorageTable table_;
    OwnMemory own_;
    std::vector<std::uint64_t> before_, after_;  ///< by node
    std::vector<std::uint64_t> used_;            ///< by storage: which of the block come before one of its uses
    std::vector<std::uint64_t> alive_;           ///< by storage: while which of the block it is alive
    std::vector<GatherResult> results_;          ///< by collective
};

OrderFreeLive::OrderFreeLive(const StepWork& work) {
    Finder(work, *this).find();
    for (const Asked& asked : asked_)
        if (asked.with_own_bytes > most_.bytes) most_ = {asked.with_own_bytes, asked.node};
    by_bytes_.resize(asked_.size());
    std::iota(by_bytes_.begin(), by_bytes_.end(), 0u);
    std::ranges::stable_sort(by_bytes_, std::greater(), [&](std::uint32_t index) { return asked_[index].bytes; });
}

std::vector<NodeId> OrderFreeLive::without_room(std::size_t collective, std::int64_t limit) const {
    std::vector<NodeId> found;
    if (result_bytes_[collective] == 0) return found;
    const std::uint64_t* const bits = &used_after_[collective * blocks_];
    for (const std::uint32_t index : by_bytes_) {
        if (asked_[index].bytes + result_bytes_[collective] <= limit) break;
        if (bits[index / block_size] >> (index % block_size) & 1) found.push_back(asked_[index].node);
    }
    return found;
}

}  // namespace overlap
