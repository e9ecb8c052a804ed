#pragma once

#include <cstdint>
#include <span>

#include "core/job/document/job_document.h"

namespace overlap::job {

/// The level of links that a message between two ranks crosses, innermost 0; the last where no level holds both.
std::size_t level_between(std::span<const TopologyLevel> levels, std::int64_t a, std::int64_t b);

/// What a message of so many bytes takes over a level, alone: latency and bytes by the level's rate.
double message_ms(const TopologyLevel& level, std::int64_t bytes);

}  // namespace overlap::job
