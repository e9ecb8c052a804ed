#pragma once

#include <QStringList>
#include <optional>

#include "core/passes/memory/memory_rules.h"

namespace overlap::ui {

class Document;

/// What of the model is selected, as memory rules name it.
struct MemoryTarget {
    QStringList modules;    ///< none: the whole model
    QStringList operators;  ///< of a selected node; none of a module or a bucket

    /// What a rule of this action takes: rules of gathers have no operators.
    QStringList operatorsFor(MemoryAction action) const { return is_of_gathers(action) ? QStringList() : operators; }
    /// For display; of many modules as ranges.
    QString title() const;
    bool operator==(const MemoryTarget&) const = default;
};

/// The selected modules, the modules of the selected bucket, or the operator of a selected forward node in its module;
/// nothing where none of these is selected. The root of all modules is the whole model.
std::optional<MemoryTarget> selectedTarget(Document& document);

}  // namespace overlap::ui
