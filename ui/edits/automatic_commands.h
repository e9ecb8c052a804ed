#pragma once

#include <QString>
#include <vector>

#include "core/pipeline/manual_start.h"
#include "core/plan/automatic_plan.h"

namespace overlap::ui {

class Document;

/// From the user's plan to PyTorch's automatic pass, and from its result back to cards. Each adds a variant that begins
/// as a copy of the current one and is changed by one edit that can be undone.
class AutomaticCommands {
  public:
    explicit AutomaticCommands(Document& document) : document_(document) {}

    /// Adds a variant whose pipeline is the automatic pass after the current plan's clean-ups, called "Automatic" or by
    /// the next free name like it. Nothing happens where no graph is open.
    void addAutomatic();

    /// Why startManual() would refuse, as a sentence without full stop; empty where it would not.
    QString manualRefusal() const;
    /// Adds a variant whose cards are the buckets of the current automatic result.
    /// @returns what could not be carried over as it was.
    std::vector<ManualStart::LeftOut> startManual();

  private:
    QString freeName(const QString& wanted) const;

    Document& document_;
};

}  // namespace overlap::ui
