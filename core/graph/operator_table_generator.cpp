// Turns what resources/operators knows of torch's operators into the rows of a table that is sorted by operator name,
// and the namespaces whose operators have no side effects unless the table says so into the rows of another.
// overlap_operator_table TRAITS.json IMPURE.json WRITTEN.json TABLE.inc NAMESPACES.inc
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace {

nlohmann::json read(const char* path) {
    std::ifstream input(path);
    return nlohmann::json::parse(input);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 6) {
        std::cerr << "usage: overlap_operator_table TRAITS.json IMPURE.json WRITTEN.json TABLE.inc NAMESPACES.inc\n";
        return 2;
    }
    const nlohmann::json traits = read(arguments[1]), impure = read(arguments[2]),
                         written = read(arguments[3]).at("operators");
    // Sorted by key, byte by byte, as the look-up expects.
    std::map<std::string, unsigned> flags;
    for (const auto& [name, description] : traits.at("operators").items()) {
        unsigned& bits = flags[name];  // operators without traits are in the table, too: torch has them
        for (const std::string trait : description.at("traits")) {
            if (trait == "view") bits |= 1;
            if (trait == "cheap") bits |= 2;
            if (trait == "fusible") bits |= 4;
            if (trait == "compute") bits |= 8;
        }
    }
    for (const std::string name : impure.at("impure")) flags[name] |= 16;
    for (const std::string name : impure.at("undecided")) flags[name] |= 32;
    std::ofstream table(arguments[4]), namespaces(arguments[5]);
    for (const auto& [name, bits] : flags) {
        unsigned places = 0;
        if (const auto known = written.find(name); known != written.end()) {
            for (const unsigned place : *known) places |= 1u << place;
        }
        table << "    {\"" << name << "\", " << bits << ", " << places << "u},\n";
    }
    for (const std::string name : impure.at("namespaces")) namespaces << "    \"" << name << "\",\n";
    return table.good() && namespaces.good() ? 0 : 1;
}
