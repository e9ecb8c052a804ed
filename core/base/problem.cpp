#include "core/base/problem.h"

namespace overlap {

std::string_view severity_name(Severity severity) {
    switch (severity) {
        case Severity::note:
            return "note";
        case Severity::caution:
            return "caution";
        case Severity::error:
            return "error";
    }
    return "error";
}

}  // namespace overlap
