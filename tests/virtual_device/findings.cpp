#include "tests/virtual_device/findings.h"

#include <fstream>
#include <iostream>
#include <set>

#include "tests/virtual_device/settings.h"

namespace overlap::virtual_device {

std::string json_text(std::string_view text) {
    std::string json = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') json += '\\';
        json += letter;
    }
    return json + '"';
}

void report(std::string_view kind, const std::string& sentence) {
    static std::set<std::string>& told = *new std::set<std::string>;  // needed until the end of the process
    // A fault of every step is told once; of many faults the first ones tell enough.
    constexpr std::size_t most = 1000;
    if (told.size() >= most || !told.insert(sentence).second) return;
    if (settings().report.empty()) {
        std::cerr << "virtual device: " << kind << ": " << sentence << '\n';
        return;
    }
    // Opened each time, so that a process that ends at once leaves what it found.
    std::ofstream(settings().report, std::ios::app)
        << "{\"kind\":" << json_text(kind) << ",\"what\":" << json_text(sentence) << "}\n";
}

bool logs() {
    return !settings().log.empty();
}

void log_line(const std::string& json) {
    if (!logs()) return;
    static std::ofstream& log = *new std::ofstream(settings().log);
    log << json << '\n' << std::flush;
}

}  // namespace overlap::virtual_device
