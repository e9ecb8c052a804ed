#include "core/memory/alive_storages.h"

#include <algorithm>

#include "core/memory/counted_memory.h"
#include "core/memory/storage_lives.h"

namespace overlap {

AliveStorages alive_storages(const Graph& graph, StorageRule rule, std::size_t point, std::size_t most) {
    const CountedMemory memory(graph, rule);
    const StorageLives lives(graph);
    AliveStorages alive;
    for (const Storage& storage : memory.table().storages()) {
        const std::optional<StorageLife> life = lives.of(storage);
        if (!life || point < life->from || point >= life->until) continue;
        const bool released = life->until != StorageLife().until;
        alive.bytes += storage.bytes;
        ++alive.count;
        alive.pieces.push_back({storage.allocator, released ? storage.released_by : no_node, storage.bytes});
    }
    std::ranges::stable_sort(alive.pieces, [](const AliveStorage& a, const AliveStorage& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.allocator < b.allocator;
    });
    if (alive.pieces.size() > most) alive.pieces.resize(most);
    return alive;
}

}  // namespace overlap
