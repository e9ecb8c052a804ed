#pragma once

#include <QCoreApplication>
#include <QString>
#include <cstdint>

#include "core/modules/module_repair.h"

namespace overlap::ui {

class Document;

/// Edits of the rules that give modules to nodes, and notes on these rules.
class ModuleCommands {
    Q_DECLARE_TR_FUNCTIONS(ModuleCommands)

  public:
    explicit ModuleCommands(Document& document) : document_(document) {}

    /// Those of the current plan; none for the baseline.
    const std::vector<ModuleRule>& rules() const;
    /// Why rules cannot be edited now, as a sentence without full stop; empty where they can.
    QString refusal() const;
    /// Replaces all rules of the current plan: one undoable edit.
    void setRules(std::vector<ModuleRule> rules);
    struct Effect {
        std::uint32_t without_before = 0;  ///< calls of the graph without a module
        std::uint32_t without_after = 0;   ///< calls that these rules leave without one
    };
    Effect effect(const RepairedModules& repaired) const;

  private:
    Document& document_;
};

}  // namespace overlap::ui
