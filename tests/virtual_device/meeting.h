#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace overlap::virtual_device {

/// What a rank says of a collective when its stream has come to it.
struct Arrival {
    std::int64_t ready_ns = 0;
    std::string what;  ///< kind, elements and reduction: the same on all ranks
    /// How many collectives the rank had launched on each of its other communicators before this one, by their ids.
    struct Launched {
        std::uint64_t communicator = 0, collectives = 0;
    };
    std::vector<Launched> before;
};

/// Where the ranks of one communicator meet: a file that all of them have in memory. Ranks that are one collective
/// apart can be told; more than that they never are.
class MeetingPlace {
  public:
    /// Makes the file. @returns its path, for the other ranks.
    static std::string make();

    /// Waits until `size` ranks have come, and then removes the file.
    /// @throws std::runtime_error where one has not come in time.
    MeetingPlace(const std::string& path, int rank, int size);
    ~MeetingPlace();
    MeetingPlace(const MeetingPlace&) = delete;
    MeetingPlace& operator=(const MeetingPlace&) = delete;

    std::uint64_t id() const { return id_; }
    int size() const { return size_; }
    int rank() const { return rank_; }

    /// @param collective counted from 0 on this communicator.
    void arrive(std::uint64_t collective, const Arrival& arrival);
    bool all_there(std::uint64_t collective) const;
    /// Of all ranks, once they are there.
    std::vector<Arrival> arrivals(std::uint64_t collective) const;
    /// Whether a rank's process has ended.
    bool lost_a_rank() const;

  private:
    struct Shared;
    Shared* shared_ = nullptr;
    int rank_ = 0, size_ = 1;
    std::uint64_t id_ = 0;
};

}  // namespace overlap::virtual_device
