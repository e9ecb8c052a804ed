#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace overlap::virtual_device {

/// How many operations of each lane (a stream, or a stream's part of a CUDA graph) have ended for certain.
class VectorClock {
  public:
    std::uint32_t of(std::uint32_t lane) const { return lane < ended_.size() ? ended_[lane] : 0; }
    /// One operation more on the lane. @returns its number there.
    std::uint32_t advance(std::uint32_t lane) {
        if (lane >= ended_.size()) ended_.resize(std::size_t{lane} + 1);
        return ++ended_[lane];
    }
    void join(const VectorClock& other) {
        if (other.ended_.size() > ended_.size()) ended_.resize(other.ended_.size());
        for (std::size_t lane = 0; lane < other.ended_.size(); ++lane) {
            ended_[lane] = std::max(ended_[lane], other.ended_[lane]);
        }
    }
    /// Whether everything that `other` knows to have ended has ended for this one, too.
    bool covers(const VectorClock& other) const {
        for (std::uint32_t lane = 0; lane < other.ended_.size(); ++lane) {
            if (of(lane) < other.ended_[lane]) return false;
        }
        return true;
    }

  private:
    std::vector<std::uint32_t> ended_;
};

}  // namespace overlap::virtual_device
