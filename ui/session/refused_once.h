#pragma once

#include <utility>

namespace overlap::ui {

/// What closing is refused for: once for each list of reasons, so that who asks a second time is let go.
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
