#include "core/files/ordered_json.h"

namespace overlap {

std::string describe_json(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
            return "null";
        case Json::value_t::object:
            return "an object";
        case Json::value_t::array:
            return "a list";
        case Json::value_t::string:
            return "the string " + value.dump(-1, ' ', false, Json::error_handler_t::replace);
        default:
            return value.dump();
    }
}

}  // namespace overlap
