#include "tests/virtual_device/meeting.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/virtual_device/settings.h"

namespace overlap::virtual_device {

namespace {

constexpr std::size_t most_ranks = 16, most_communicators = 16, longest_text = 512, rounds = 4;

struct Slot {
    std::atomic<std::uint64_t> collective;  ///< one more than the number of the collective that the rank has come to
    std::int64_t ready_ns;
    std::uint32_t communicators;
    std::array<Arrival::Launched, most_communicators> before;
    std::array<char, longest_text> what;
};

}  // namespace

struct MeetingPlace::Shared {
    std::atomic<std::uint32_t> come;
    std::array<std::atomic<pid_t>, most_ranks> processes;
    std::array<std::array<Slot, most_ranks>, rounds> slots;
};

std::string MeetingPlace::make() {
    static int made = 0;
    const std::filesystem::path path =
        settings().folder / ("overlap-virtual-" + std::to_string(getpid()) + "-" + std::to_string(made++));
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) throw std::runtime_error("no meeting place " + path.string());
    close(file);
    return path;
}

MeetingPlace::MeetingPlace(const std::string& path, int rank, int size)
    : rank_(rank), size_(size), id_(std::hash<std::string>()(path)) {
    if (size > static_cast<int>(most_ranks)) throw std::runtime_error("more ranks than a meeting place has room for");
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) throw std::runtime_error("the meeting place is gone");
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) throw std::runtime_error("the meeting place has no memory");
    shared_ = static_cast<Shared*>(memory);
    shared_->processes[static_cast<std::size_t>(rank)] = getpid();
    if (shared_->come.fetch_add(1) + 1 == static_cast<std::uint32_t>(size)) unlink(path.c_str());
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    while (shared_->come < static_cast<std::uint32_t>(size)) {
        if (Clock::now() - start > std::chrono::seconds(60)) throw std::runtime_error("a rank has not come");
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

MeetingPlace::~MeetingPlace() {
    munmap(shared_, sizeof(Shared));
}

void MeetingPlace::arrive(std::uint64_t collective, const Arrival& arrival) {
    Slot& slot = shared_->slots[collective % rounds][static_cast<std::size_t>(rank_)];
    slot.ready_ns = arrival.ready_ns;
    slot.communicators = static_cast<std::uint32_t>(std::min(arrival.before.size(), most_communicators));
    std::copy_n(arrival.before.begin(), slot.communicators, slot.before.begin());
    slot.what.fill('\0');
    std::copy_n(arrival.what.begin(), std::min(arrival.what.size(), longest_text - 1), slot.what.begin());
    slot.collective = collective + 1;
}

bool MeetingPlace::all_there(std::uint64_t collective) const {
    for (int rank = 0; rank < size_; ++rank) {
        if (shared_->slots[collective % rounds][static_cast<std::size_t>(rank)].collective != collective + 1)
            return false;
    }
    return true;
}

std::vector<Arrival> MeetingPlace::arrivals(std::uint64_t collective) const {
    std::vector<Arrival> all;
    for (int rank = 0; rank < size_; ++rank) {
        const Slot& slot = shared_->slots[collective % rounds][static_cast<std::size_t>(rank)];
        Arrival arrival;
        arrival.ready_ns = slot.ready_ns;
        arrival.what = slot.what.data();
        arrival.before.assign(slot.before.begin(), slot.before.begin() + slot.communicators);
        all.push_back(std::move(arrival));
    }
    return all;
}

bool MeetingPlace::lost_a_rank() const {
    return std::any_of(shared_->processes.begin(), shared_->processes.begin() + size_,
                       [](const auto& process) { return kill(process, 0) != 0 && errno == ESRCH; });
}

}  // namespace overlap::virtual_device
