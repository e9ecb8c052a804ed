// What changed sources call (changed_source.py): a build has many changes, the environment chooses one when a program
// runs. OVERLAP_MUTANT is its number; OVERLAP_MUTANTS_REACHED names a file for the numbers of those that a program comes to.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdlib>

namespace overlap::mutation {

bool is_chosen(int mutant);  // changed sources declare it themselves

namespace {

constexpr int most_mutants = 1 << 16;
std::array<std::atomic<bool>, most_mutants> is_recorded;
int chosen = -1;
int record_file = -1;

/// Before other initialisers, which may be changed themselves.
[[gnu::constructor(101)]] void read_environment() {
    if (const char* number = std::getenv("OVERLAP_MUTANT")) chosen = std::atoi(number);
    if (const char* path = std::getenv("OVERLAP_MUTANTS_REACHED")) {
        record_file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (record_file < 0) std::abort();
    }
}

/// At once and not at the end: a program may be killed. Several may write into one file.
void record(int mutant) {
    if (is_recorded[static_cast<std::size_t>(mutant)].exchange(true, std::memory_order_relaxed)) return;
    std::array<char, 16> line{};
    char* const end = std::to_chars(line.data(), line.data() + line.size() - 1, mutant).ptr;
    *end = '\n';
    const auto length = static_cast<std::size_t>(end + 1 - line.data());
    if (write(record_file, line.data(), length) != static_cast<ssize_t>(length)) std::abort();
}

}  // namespace

bool is_chosen(int mutant) {
    if (record_file >= 0) record(mutant);
    return mutant == chosen;
}

}  // namespace overlap::mutation
