#include "core/run/host_memory.h"

#include <algorithm>
#include <map>

#include "core/run/memory_plan.h"
#include "core/run/memory_pool.h"

namespace overlap {

HostMemory plan_host_memory(const Program& program) {
    HostMemory memory;
    memory.offsets.resize(program.transfers.size());
    // Command at which the host's copy of each transfer's tensor is used last.
    std::vector<std::uint32_t> last_use(program.transfers.size());
    std::vector<bool> is_read(program.transfers.size());
    for (const TransferWork& transfer : program.transfers) {
        if (transfer.to_host) continue;
        is_read[transfer.source] = true;
        last_use[transfer.source] = std::max(last_use[transfer.source], transfer.awaited_at);
    }
    std::multimap<std::uint32_t, std::uint32_t> released;  // transfers by the command behind which they are
    MemoryPool pool;
    for (std::uint32_t command = 0; command < program.commands.size(); ++command) {
        const auto [kind, index, unused] = program.commands[command];
        if (kind == Command::Kind::transfer) {
            const TransferWork& transfer = program.transfers[index];
            if (transfer.to_host) {
                if (transfer.bytes == 0) continue;
                memory.offsets[index] = pool.take(aligned_bytes(transfer.bytes));
                if (is_read[index]) released.emplace(last_use[index], index);
            } else {
                memory.offsets[index] = memory.offsets[transfer.source];
            }
        }
        const auto [first, end] = released.equal_range(command);
        for (auto at = first; at != end; ++at)
            pool.give_back(memory.offsets[at->second], aligned_bytes(program.transfers[at->second].bytes));
    }
    memory.bytes = pool.size();
    return memory;
}

}  // namespace overlap
