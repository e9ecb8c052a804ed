#pragma once

#include <QStringList>
#include <utility>

namespace overlap::ui {

/// Files of plans that wait for their graph: they are opened as soon as it has been read.
class PendingPlans {
  public:
    void add(const QString& path) { paths_.append(path); }
    bool empty() const { return paths_.isEmpty(); }
    /// The first one that was added. There must be one.
    const QString& first() const { return paths_.front(); }
    /// All of them, in the order in which they were added; none waits any more.
    QStringList take() { return std::exchange(paths_, {}); }
    /// To be called when there is no graph for them.
    void clear() { paths_.clear(); }

  private:
    QStringList paths_;
};

}  // namespace overlap::ui
