#include "app/runner/mpi_ranks.h"

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>

#include "core/base/error.h"

namespace overlap::runner {

namespace {

int checked_length(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw InputError("exchange between ranks", "a text of " + std::to_string(bytes) + " bytes is too long");
    }
    return static_cast<int>(bytes);
}

/// Messages of meet(), so that they are taken for no others.
constexpr int arrival_tag = 1, departure_tag = 2;

/// @returns whether all requests were done within `longest`. The first waits are short, so that ranks that come at the
/// same time lose none of it; later ones leave the processor to others.
bool done_within(std::vector<MPI_Request>& requests, std::chrono::milliseconds longest) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    for (;;) {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        if (done) return true;
        const auto waited = Clock::now() - start;
        if (waited > longest) return false;
        if (waited < std::chrono::milliseconds(1)) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
}

class MpiRanks final : public Ranks {
  public:
    MpiRanks() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm neighbours = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &neighbours);
        MPI_Comm_rank(neighbours, &rank_on_machine_);
        MPI_Comm_free(&neighbours);
        machines_ = gather(machine());
    }

    /// While an error is on its way up, other ranks may wait for this one, and MPI's end would wait for them.
    ~MpiRanks() override {
        if (std::uncaught_exceptions() == 0) MPI_Finalize();
    }

    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int rank_on_machine() const override { return rank_on_machine_; }

    std::string machine() const override {
        std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
        int length = 0;
        MPI_Get_processor_name(name.data(), &length);
        return {name.data(), static_cast<std::size_t>(length)};
    }

    void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }

    void meet(std::chrono::milliseconds longest) override {
        if (rank_ == 0) {
            wait_for_others(longest);
        } else {
            report_to_first(longest);
        }
    }

    std::string broadcast(const std::string& text) override {
        int length = checked_length(text.size());
        MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
        std::string received = text;
        received.resize(static_cast<std::size_t>(length));
        MPI_Bcast(received.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
        return received;
    }

    std::vector<std::string> gather(const std::string& text) override {
        const auto count = static_cast<std::size_t>(size_);
        const int length = checked_length(text.size());
        std::vector<int> lengths(count), offsets(count);
        MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
        const auto total = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
        checked_length(total);
        std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
        std::string all(total, '\0');
        MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
                       MPI_COMM_WORLD);
        std::vector<std::string> texts;
        for (std::size_t index = 0; index < count; ++index) {
            texts.push_back(
                all.substr(static_cast<std::size_t>(offsets[index]), static_cast<std::size_t>(lengths[index])));
        }
        return texts;
    }

    bool any(bool value) override {
        int mine = value ? 1 : 0;
        int result = 0;
        MPI_Allreduce(&mine, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        return result != 0;
    }

    [[noreturn]] void end_all(int status) override {
        MPI_Abort(MPI_COMM_WORLD, status);
        std::_Exit(status);
    }

  private:
    /// Rank 0 hears from each of the others, so that it knows which one is missing.
    void wait_for_others(std::chrono::milliseconds longest) {
        std::vector<MPI_Request> arrivals(static_cast<std::size_t>(size_ - 1));
        for (int other = 1; other < size_; ++other) {
            MPI_Irecv(nullptr, 0, MPI_BYTE, other, arrival_tag, MPI_COMM_WORLD,
                      &arrivals[static_cast<std::size_t>(other - 1)]);
        }
        if (!done_within(arrivals, longest)) {
            for (int other = 1; other < size_; ++other) {
                int arrived = 0;
                MPI_Test(&arrivals[static_cast<std::size_t>(other - 1)], &arrived, MPI_STATUS_IGNORE);
                if (!arrived) give_up_on(other, longest);
            }
        }
        for (int other = 1; other < size_; ++other) {
            MPI_Send(nullptr, 0, MPI_BYTE, other, departure_tag, MPI_COMM_WORLD);
        }
    }

    /// Rank 0 may itself wait for another as long as it is allowed to, and is the one to report that.
    void report_to_first(std::chrono::milliseconds longest) {
        std::vector<MPI_Request> departure(1);
        MPI_Irecv(nullptr, 0, MPI_BYTE, 0, departure_tag, MPI_COMM_WORLD, departure.data());
        MPI_Send(nullptr, 0, MPI_BYTE, 0, arrival_tag, MPI_COMM_WORLD);
        if (!done_within(departure, 2 * longest + std::chrono::seconds(5))) give_up_on(0, longest);
    }

    [[noreturn]] void give_up_on(int rank, std::chrono::milliseconds longest) const {
        throw InputError("rank " + std::to_string(rank) + " on " + machines_[static_cast<std::size_t>(rank)],
                         "it has not come to the next step within " + std::to_string(longest.count() / 1000) + " s");
    }

    int rank_ = 0, size_ = 1, rank_on_machine_ = 0;
    std::vector<std::string> machines_;  ///< of each rank
};

}  // namespace

std::unique_ptr<Ranks> mpi_ranks(int& argument_count, char**& arguments) {
    if (MPI_Init(&argument_count, &arguments) != MPI_SUCCESS) throw InputError("MPI", "it cannot be initialised");
    return std::make_unique<MpiRanks>();
}

}  // namespace overlap::runner
