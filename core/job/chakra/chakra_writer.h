#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace overlap::job {

/// Kinds of nodes and collectives, by the numbers of Chakra's schema.
enum class ChakraNode : std::uint8_t { compute = 4, send = 5, receive = 6, collective = 7 };

/// The number of a collective by the name that documents use, such as `all_reduce`; all-reduce where it has none.
std::uint64_t chakra_collective(std::string_view name);

/// One rank's trace: messages behind one another, each after its length. The first is the header, the others are nodes.
class ChakraTrace {
  public:
    ChakraTrace();

    struct Communication {
        std::uint64_t collective = 0;  ///< of a collective
        std::uint64_t group = 0;       ///< of a collective: its number, from 1; ASTRA-sim takes 0 for all ranks
        std::string group_name;        ///< of a collective: for people
        std::uint64_t bytes = 0;       ///< 0 where they are not known
        std::int64_t from = 0, to = 0, tag = 0;  ///< of a message; the tag is of one only, from a rank to another
    };

    /// @param after nodes that must have ended. @param communication null for compute.
    void add(std::uint64_t id, std::string_view name, ChakraNode type, std::span<const std::uint64_t> after,
             double start_ms, double duration_ms, const Communication* communication);
    const std::string& bytes() const { return bytes_; }

  private:
    void append(const std::string& message);

    std::string bytes_;
};

}  // namespace overlap::job
