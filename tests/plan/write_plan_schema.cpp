// write_plan_schema SCHEMA: prints the schema of plans with what it says of options made from their declarations.
// Redirect it into a new file and put that in the place of the old one.

#include <exception>
#include <fstream>
#include <iostream>

#include "core/io/plan/plan_schema.h"

int main(int argument_count, char** arguments) {
    if (argument_count != 2) {
        std::cerr << "usage: write_plan_schema resources/schemas/overlap-plan.schema.json\n";
        return 2;
    }
    try {
        std::ifstream file(arguments[1]);
        std::cout << overlap::schema_text(overlap::with_declared_options(overlap::Json::parse(file)));
    } catch (const std::exception& error) {
        std::cerr << "write_plan_schema: " << arguments[1] << ": " << error.what() << '\n';
        return 1;
    }
}
