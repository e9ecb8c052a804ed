#include "core/files/format_version.h"

#include <string>

#include "core/base/error.h"

namespace overlap {

void check_format_version(std::string_view format, std::int64_t found, std::int64_t newest) {
    if (found >= 1 && found <= newest) return;
    std::string problem;
    if (found < 1) {
        problem.append("versions begin with 1, found ").append(std::to_string(found));
    } else {
        problem.append("written by version ").append(std::to_string(found)).append(" of the ").append(format);
        problem.append(" format; this program reads up to version ").append(std::to_string(newest));
        problem.append(": update Overlap Studio");
    }
    throw InputError("version", std::move(problem));
}

}  // namespace overlap
