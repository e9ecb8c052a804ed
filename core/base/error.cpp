#include "core/base/error.h"

namespace overlap {

namespace {

std::string sentence(const std::string& file, const std::string& place, const std::string& problem) {
    std::string text;
    for (const std::string* part : {&file, &place}) {
        if (!part->empty()) text += *part + ": ";
    }
    return text + problem;
}

}  // namespace

InputError::InputError(std::string place, std::string problem, ErrorCode code)
    : InputError("", std::move(place), std::move(problem), code) {}

InputError::InputError(std::string file, std::string place, std::string problem, ErrorCode code)
    : std::runtime_error(sentence(file, place, problem)),
      file_(std::move(file)),
      place_(std::move(place)),
      problem_(std::move(problem)),
      code_(code) {}

InputError InputError::in_file(const std::string& file) const {
    return {file, place_, problem_, code_};
}

PassRefusal::PassRefusal(std::string pass, std::string place, std::string reason, ErrorCode code)
    : InputError(pass, std::move(place), std::move(reason), code), pass_(std::move(pass)) {}

}  // namespace overlap
