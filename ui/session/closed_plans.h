#pragma once

#include <functional>
#include <vector>

#include "ui/session/session_state.h"

namespace overlap::ui {

/// Plans of the open graph that were closed and can be reopened, the one closed last at the end. Their number is
/// limited, without losing edits.
class ClosedPlans {
  public:
    /// How many are kept, in addition to those whose edits can be kept nowhere else.
    static constexpr std::size_t limit = 20;
    /// Writes a plan into a separate file. @returns whether that succeeded.
    using KeepAside = std::function<bool(const QByteArray& plan)>;

    bool empty() const { return plans_.empty(); }
    const std::vector<SessionVariant>& all() const { return plans_; }
    /// Those of another graph.
    void replaceAll(std::vector<SessionVariant> plans) { plans_ = std::move(plans); }
    /// Adds a plan without checking the limit.
    void add(SessionVariant plan) { plans_.push_back(std::move(plan)); }
    /// Adds a plan, and drops one where there are more than the limit: the oldest that is saved in a file, else the
    /// oldest of all, if it can be written to a separate file.
    void close(SessionVariant plan, const KeepAside& keep_aside);
    /// Makes a plan the one that was closed last. @returns whether it is among them.
    bool putLast(const QByteArray& plan);
    /// Opens the plan that was closed last, and removes it. One that cannot be opened stays, and the one before it is
    /// tried.
    /// @param open throws std::exception with a sentence where the plan cannot be opened.
    /// @param reason why the one that was closed last cannot be opened, where none can; empty where there is none.
    /// @returns whether one was opened.
    bool reopen(const std::function<void(const SessionVariant&)>& open, QString& reason);

  private:
    std::vector<SessionVariant> plans_;
};

}  // namespace overlap::ui
