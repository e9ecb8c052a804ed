#include "tests/virtual_device/settings.h"

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace overlap::virtual_device {

namespace {

[[noreturn]] void refuse(std::string_view word) {
    std::cerr << "virtual device: OVERLAP_VIRTUAL_DEVICE: it has no setting \"" << word << "\"\n";
    std::_Exit(2);
}

template <typename Number>
Number number_of(std::string_view text, std::string_view word) {
    Number number{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || end != text.data() + text.size()) refuse(word);
    return number;
}

/// What stands before the separator; the rest stays in `text`.
std::string_view take_until(char separator, std::string_view& text) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    return part;
}

/// By the variables of Open MPI, MPICH and SLURM.
int rank_of_process() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
        if (const char* text = std::getenv(name)) return number_of<int>(text, name);
    }
    return 0;
}

std::filesystem::path file_of_rank(std::string_view value, int rank) {
    return std::string(value) + "-" + std::to_string(rank);
}

void read_word(std::string_view whole, Settings& found) {
    std::string_view value = whole;
    const std::size_t at = value.rfind('@');
    if (at != std::string_view::npos) {
        if (number_of<int>(value.substr(at + 1), whole) != found.rank) return;
        value = value.substr(0, at);
    }
    const std::string_view name = take_until('=', value);
    if (name == "devices") {
        found.devices = number_of<int>(value, whole);
    } else if (name == "driver") {
        found.driver = number_of<int>(value, whole);
    } else if (name == "memory_bytes") {
        found.memory_bytes = number_of<std::int64_t>(value, whole);
    } else if (name == "compute_scale") {
        found.compute_scale = number_of<double>(value, whole);
    } else if (name == "capability") {
        found.capability = number_of<int>(value, whole);
    } else if (name == "link_scale") {
        found.link_scale = number_of<double>(value, whole);
    } else if (name == "host_scale") {
        found.host_scale = number_of<double>(value, whole);
    } else if (name == "folder") {
        found.folder = value;
    } else if (name == "report") {
        found.report = file_of_rank(value, found.rank);
    } else if (name == "log") {
        found.log = file_of_rank(value, found.rank);
    } else if (name == "communicators") {
        found.communicators = file_of_rank(value, found.rank);
    } else if (name == "die") {
        found.dies_at = number_of<std::uint64_t>(value, whole);
    } else if (name == "silent") {
        found.silent_from = number_of<std::uint64_t>(value, whole);
    } else if (name == "drop_records") {
        found.drops_records = number_of<std::uint64_t>(value, whole);
    } else if (name == "fail") {
        const std::string_view function = take_until(',', value);
        found.failing[std::string(function)] = number_of<std::uint64_t>(value, whole);
    } else if (name == "change") {
        Change change;
        change.kind = take_until(',', value);
        change.index = number_of<std::uint64_t>(take_until(',', value), whole);
        if (!value.empty()) change.amount = number_of<std::int64_t>(value, whole);
        found.changes.push_back(std::move(change));
    } else {
        refuse(whole);
    }
}

Settings read_settings() {
    Settings found;
    found.rank = rank_of_process();
    const char* const text = std::getenv("OVERLAP_VIRTUAL_DEVICE");
    std::istringstream words(text ? text : "");
    for (std::string word; words >> word;) read_word(word, found);
    return found;
}

std::map<std::string, std::uint64_t, std::less<>>& calls_of_step() {
    static std::map<std::string, std::uint64_t, std::less<>> calls;
    return calls;
}

}  // namespace

const Settings& settings() {
    static const Settings found = read_settings();
    return found;
}

void count_calls_anew() {
    calls_of_step().clear();
}

const Change* change_of_this_call(std::string_view kind) {
    if (settings().changes.empty()) return nullptr;
    auto count = calls_of_step().find(kind);
    if (count == calls_of_step().end()) count = calls_of_step().emplace(kind, 0).first;
    ++count->second;
    for (const Change& change : settings().changes) {
        if (change.kind == kind && change.index == count->second) return &change;
    }
    return nullptr;
}

bool fails(std::string_view function) {
    static std::map<std::string, std::uint64_t, std::less<>> calls;
    if (settings().failing.empty()) return false;
    const auto failing = settings().failing.find(std::string(function));
    return failing != settings().failing.end() && ++calls[std::string(function)] == failing->second;
}

}  // namespace overlap::virtual_device
