#include "core/passes/scheduling/left_apart.h"

#include "core/base/quote.h"

namespace overlap::scheduling {

std::string describe(const LeftApart& left_apart, std::string_view other) {
    if (left_apart.reason == Apart::hides_another && left_apart.other == no_index) {
        return "because waiting for it hides a collective of another group";
    }
    const std::string with = "with " + in_quotes(other) + ", because ";
    switch (left_apart.reason) {
        case Apart::not_tried:
            return "";
        case Apart::hides_another:
            return with + "one of the two hides a collective of another group";
        case Apart::depends:
            return with + "one needs the other's result, or what hides one needs the other's";
        case Apart::exposes_hidden:
            return with + "something that is hidden now would become exposed, wherever the two start and end together";
        case Apart::cycle:
            return with + "the order of starts, compute and waits would contradict itself";
        case Apart::too_large:
            return with + "the bucket would exceed 2 GiB";
        case Apart::too_far:
            return with + "buckets of the least hidden collectives reach over 20 nodes at most";
    }
    return "";
}

}  // namespace overlap::scheduling
