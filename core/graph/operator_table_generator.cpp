// Turns resources/operators/operator_traits.json into the rows of a table that is sorted by operator name.
// overlap_operator_table INPUT.json OUTPUT.inc
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: overlap_operator_table INPUT.json OUTPUT.inc\n";
        return 2;
    }
    std::ifstream input(arguments[1]);
    const nlohmann::json document = nlohmann::json::parse(input);
    std::ofstream output(arguments[2]);
    // nlohmann's objects are sorted by key, byte by byte, as the look-up expects.
    for (const auto& [name, description] : document.at("operators").items()) {
        unsigned flags = 0;
        for (const std::string trait : description.at("traits")) {
            if (trait == "view") flags |= 1;
            if (trait == "cheap") flags |= 2;
            if (trait == "fusible") flags |= 4;
            if (trait == "compute") flags |= 8;
        }
        if (flags != 0) output << "    {\"" << name << "\", " << flags << "},\n";
    }
    return output.good() ? 0 : 1;
}
