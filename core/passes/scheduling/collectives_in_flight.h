#pragma once

#include <cstdint>
#include <vector>

#include "core/passes/scheduling/collectives.h"

namespace overlap::scheduling {

/// Collectives that have started and have not been waited for yet, in order of start: all of them, and those of each
/// group, as linked lists.
class CollectivesInFlight {
  public:
    explicit CollectivesInFlight(const CollectiveTable& table)
        : table_(table),
          links_(table.collectives.size()),
          all_(Ends{}),
          of_group_(table.groups.size()),
          same_latency_key_(table.collectives.size()) {}

    bool empty() const { return all_.first == no_index; }
    bool contains(Index collective) const { return links_[collective].in_flight; }
    std::int64_t bytes() const { return bytes_; }
    /// The one that started first. @pre !empty()
    Index oldest() const { return all_.first; }
    Index oldest_of_group(Index group) const { return of_group_[group].first; }
    /// The next one of the same group, or no_index.
    Index next_of_group(Index collective) const { return links_[collective].group.next; }
    /// Whether one with this latency key is in flight.
    bool has_latency_key(Index key) const { return same_latency_key_[key] > 0; }

    void start(Index collective) {
        const Collective& started = table_.collectives[collective];
        append(all_, collective, &Links::all);
        append(of_group_[started.group], collective, &Links::group);
        links_[collective].in_flight = true;
        bytes_ += started.size_bytes;
        if (started.latency_key != no_index) ++same_latency_key_[started.latency_key];
    }

    void end(Index collective) {
        const Collective& ended = table_.collectives[collective];
        remove(all_, collective, &Links::all);
        remove(of_group_[ended.group], collective, &Links::group);
        links_[collective].in_flight = false;
        bytes_ -= ended.size_bytes;
        if (ended.latency_key != no_index) --same_latency_key_[ended.latency_key];
    }

  private:
    struct Neighbours {
        Index previous = no_index, next = no_index;
    };
    struct Links {
        Neighbours all, group;
        bool in_flight = false;
    };
    struct Ends {
        Index first = no_index, last = no_index;
    };

    void append(Ends& list, Index collective, Neighbours Links::*kind) {
        (links_[collective].*kind) = {list.last, no_index};
        (list.last == no_index ? list.first : (links_[list.last].*kind).next) = collective;
        list.last = collective;
    }

    void remove(Ends& list, Index collective, Neighbours Links::*kind) {
        const Neighbours around = links_[collective].*kind;
        (around.previous == no_index ? list.first : (links_[around.previous].*kind).next) = around.next;
        (around.next == no_index ? list.last : (links_[around.next].*kind).previous) = around.previous;
    }

    const CollectiveTable& table_;
    std::vector<Links> links_;
    Ends all_;
    std::vector<Ends> of_group_;
    std::vector<std::uint32_t> same_latency_key_;  ///< by latency key
    std::int64_t bytes_ = 0;
};

}  // namespace overlap::scheduling
