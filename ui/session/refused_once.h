#pragma once

#include <utility>

namespace overlap::ui {

/// The reasons for which closing is refused: once for each list of reasons, so that the second attempt succeeds.
/// @tparam List a list of Qt that can be compared.
template <class List>
class RefusedOnce {
  public:
    /// @returns whether to refuse: there are reasons, and they are not those of the last refusal.
    bool refuses(const List& reasons) { return !reasons.isEmpty() && std::exchange(told_, reasons) != reasons; }

  private:
    List told_;
};

}  // namespace overlap::ui
