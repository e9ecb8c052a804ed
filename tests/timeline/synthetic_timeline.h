#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "core/timeline/timeline_builder.h"

namespace overlap::test {

/// References of synthetic_step(): gathers from 1000, scatters from 2000, compute from 0.
inline constexpr std::uint32_t first_gather = 1000;
inline constexpr std::uint32_t first_scatter = 2000;

/// A step of `blocks` transformer blocks, forward and backward, on two groups, with stalls and a memory curve.
inline std::shared_ptr<const Timeline> synthetic_step(std::uint32_t blocks) {
    constexpr std::int64_t us = 1'000;
    TimelineBuilder builder;
    const std::uint32_t compute = builder.add_lane({"Compute", "876.4 ms", LaneKind::compute, EventRole::compute});
    const std::uint32_t gathers =
        builder.add_lane({"FSDP gathers", "own group, 64 ranks", LaneKind::process_group, EventRole::bucket_1});
    const std::uint32_t scatters =
        builder.add_lane({"FSDP", "scatters, 64 ranks", LaneKind::process_group, EventRole::bucket_3});
    MemoryCurve memory;
    std::int64_t now = 0;
    std::int64_t gather_free = 0;
    std::int64_t scatter_free = 0;
    std::int64_t bytes = 12ll << 30;
    std::uint32_t reference = 0;
    const auto remember = [&] {
        memory.time_ns.push_back(now);
        memory.bytes.push_back(bytes);
    };
    for (std::uint32_t step = 0; step < 2 * blocks; ++step) {
        const bool forward = step < blocks;
        const std::uint32_t block = forward ? step : 2 * blocks - 1 - step;
        const std::int64_t gather_ns = (9'000 + 700 * (block % 5)) * us;
        const std::int64_t gathered = gather_free + gather_ns;
        const std::int64_t stall_ns = std::max<std::int64_t>(0, gathered - now);
        const std::string layer = "layers." + std::to_string(block);
        builder.add(gathers, {{gather_free, gathered},
                              builder.intern("all_gather " + layer),
                              bucket_role(block),
                              first_gather + step,
                              std::min(stall_ns, gather_ns)});
        gather_free = gathered;
        if (stall_ns > 0) {
            builder.add(compute, {{now, gathered},
                                  builder.intern("waits for all_gather " + layer),
                                  EventRole::exposed,
                                  first_gather + step,
                                  0});
            now = gathered;
        }
        bytes += 436ll << 20;
        remember();
        for (const char* part :
             {"attention_norm", "qkv_linear", "inner_attention", "wo", "ffn_norm", "w1", "w2", "w3"}) {
            const std::int64_t length = (part[0] == 'i'   ? 2'100
                                         : part[0] == 'w' ? 1'300
                                                          : 200) *
                                        us * (forward ? 1 : 2);
            builder.add(compute,
                        {{now, now + length}, builder.intern(layer + "." + part), bucket_role(block), reference++, 0});
            now += length;
            bytes += forward ? 40ll << 20 : -(45ll << 20);
            remember();
        }
        if (!forward) {
            scatter_free = std::max(scatter_free, now);
            builder.add(scatters, {{scatter_free, scatter_free + 14'000 * us},
                                   builder.intern("reduce_scatter " + layer),
                                   bucket_role(block),
                                   first_scatter + block,
                                   0});
            scatter_free += 14'000 * us;
        }
        bytes -= 400ll << 20;
        remember();
    }
    builder.add(
        compute,
        {{now, scatter_free}, builder.intern("waits for reduce_scatter"), EventRole::exposed, first_scatter, 0});
    builder.set_memory(std::move(memory));
    return builder.finish();
}

/// `lanes` measured streams with `events` short events in all, of lengths over three orders of magnitude.
inline std::shared_ptr<const Timeline> synthetic_trace(std::uint32_t events, std::uint32_t lanes) {
    std::mt19937 random(1);
    TimelineBuilder builder;
    const std::uint32_t name = builder.intern("kernel");
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t row =
            builder.add_lane({"stream " + std::to_string(lane), "", LaneKind::other, bucket_role(lane)});
        std::int64_t now = 0;
        for (std::uint32_t event = 0; event < events / lanes; ++event) {
            now += random() % 3'000;
            const std::int64_t length = 200 + random() % (random() % 50 == 0 ? 200'000 : 6'000);
            const EventRole role =
                random() % 12 == 0 ? EventRole::exposed : bucket_role(static_cast<std::uint32_t>(random()));
            builder.add(row, {{now, now + length}, name, role, event, 0});
            now += length;
        }
    }
    return builder.finish();
}

}  // namespace overlap::test
