#pragma once

#include <stdexcept>
#include <string>

namespace overlap {

/// What an error is about, for callers that treat it specially: no code depends on the wording of a message.
enum class ErrorCode {
    general,
    no_cost_model,        ///< a time is needed that neither the graph nor a cost model gives
    file_not_written,     ///< what() begins with the file
    overlapping_entries,  ///< entries of a step of bucketing share nodes, and PyTorch raises an error
};

/// The one exception of core: an input that cannot be used.
/// what() is one sentence: "FILE: PLACE: what was found and what was expected"; parts that are unknown are left out.
class InputError : public std::runtime_error {
  public:
    /// @param place where in the input, such as `nodes[12] "mm_3", args` or `line 3, column 14`; may be empty.
    /// @param problem what is wrong and what was expected, without a full stop.
    InputError(std::string place, std::string problem, ErrorCode code = ErrorCode::general);
    InputError(std::string file, std::string place, std::string problem, ErrorCode code = ErrorCode::general);

    const std::string& file() const { return file_; }
    const std::string& place() const { return place_; }
    const std::string& problem() const { return problem_; }
    ErrorCode code() const { return code_; }

    /// The same error with the name of a file. Layers that know the file add it to errors of layers that do not.
    InputError in_file(const std::string& file) const;

  private:
    std::string file_, place_, problem_;
    ErrorCode code_;
};

/// A pass cannot reproduce the reference on this graph, or the reference itself raises: the reason, for display.
/// Exit status and treatment are those of InputError; the type lets the application name the pass.
class PassRefusal : public InputError {
  public:
    PassRefusal(std::string pass, std::string place, std::string reason, ErrorCode code = ErrorCode::general);
    const std::string& pass() const { return pass_; }

  private:
    std::string pass_;
};

}  // namespace overlap
