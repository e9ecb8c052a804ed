#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include "core/plan/memory_choices.h"
#include "core/plan/memory_section.h"
#include "core/plan/plan.h"

namespace overlap::ui {

class Document;

/// Edits of the memory section of the current plan, by mouse, key or menu: one undoable edit each, with a text that
/// says what was done. A plan without the section is given one by its first edit. Functions that can be refused return
/// why, as a sentence without full stop, or nothing.
class MemoryCommands {
    Q_DECLARE_TR_FUNCTIONS(MemoryCommands)

  public:
    explicit MemoryCommands(Document& document) : document_(document) {}

    /// Why nothing can be edited now.
    QString refusal() const;
    /// The plan's section, or what a plan without one means.
    MemorySection section() const;
    /// Whether the plan runs the memory passes: it has a section, or steps of its own.
    bool isInEffect() const;
    /// `with policy default`: what a rule gives a plan that has no policy, with the rule as one edit. Empty for others.
    QString policyOfRule() const;

    /// Takes the section away, and the passes that carry it out.
    void clear();
    void setPolicy(const QString& policy);
    /// GiB on the host. Edits of one number in a row are undone together.
    void setBudget(double gib);
    void setPrefetch(int layers);
    void setDeferral(int layers);
    /// The section and the plan after put().
    MemorySection sectionWith(MemoryAction action, const QStringList& modules, const QStringList& operators = {}) const;
    Plan planWith(MemoryAction action, const QStringList& modules) const;
    /// Puts modules under an action: an empty list is the whole model. @param operators of rules that name some.
    QString put(MemoryAction action, const QStringList& modules, const QStringList& operators = {});
    void removeRule(int rule);
    void moveRule(int from, int to);
    /// Replaces the whole section.
    QString choose(const MemoryChoice& choice);

    /// `save`, `recompute`, …, for display.
    static QString title(MemoryAction action);
    /// A rule for display: its modules and operators.
    static QString title(const MemoryRule& rule);

  private:
    void edit(const QString& text, MemorySection section, const QString& merge_key = {});

    Document& document_;
};

}  // namespace overlap::ui
