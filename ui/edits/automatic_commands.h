#pragma once

#include <QString>

#include "core/plan/automatic_plan.h"

namespace overlap::ui {

class Document;

/// From the user's plan to PyTorch's automatic pass, and from its result back to cards. Each adds a plan.
class AutomaticCommands {
  public:
    explicit AutomaticCommands(Document& document) : document_(document) {}

    /// Adds a variant whose pipeline is the automatic pass after the current plan's clean-ups, called "Automatic" or by
    /// the next free name like it. Nothing happens where no graph is open.
    /// @returns what was added, with what it takes over, as a sentence without full stop; empty where nothing was.
    QString addAutomatic();

    /// Why no manual plan can be made from the current result, as a sentence without full stop; empty where one can.
    QString manualRefusal() const;
    /// Adds a variant with what manual_start() made of the current automatic result.
    void addManual(Plan plan);
    /// `wanted`, with a number behind it where a plan has that name already.
    QString freeName(const QString& wanted) const;

  private:
    Document& document_;
};

}  // namespace overlap::ui
