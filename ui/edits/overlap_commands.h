#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/overlaps/overlap_directives.h"

namespace overlap::ui {

class Document;

/// Edits of the overlaps by hand of the current plan, by mouse, key or menu: one undoable edit each, with a text that
/// says what was done.
class OverlapCommands {
    Q_DECLARE_TR_FUNCTIONS(OverlapCommands)

  public:
    explicit OverlapCommands(Document& document) : document_(document) {}

    /// Those of the current plan; none for the baseline.
    const OverlapDirectives& overlaps() const;
    /// The collective that each of them is about as views show it: of one that was merged the collective that it is
    /// part of now, which the directive names by one of its members.
    std::vector<std::string> collectives() const;
    /// A directive in words. @param collective the name of its collective as views show it.
    static QString words(OverlapDirective directive, std::string_view collective);
    /// Why overlaps cannot be edited now, as a sentence without full stop; empty where it can.
    QString refusal() const;

    /// Replaces all directives. @param what is new, for the edit's text.
    void put(OverlapDirectives overlaps, const QString& what);
    void remove(int index);
    /// Removes all that the collectives have which start at these nodes of the current evaluation, as one edit.
    void removeOf(const QStringList& nodes);
    /// Whether any directive is about that collective.
    bool has(const QString& node) const;
    void setKeepGroupOrder(bool keep);
    void setInsertOverlapDeps(bool insert);

  private:
    void edit(const QString& text, OverlapDirectives overlaps);
    bool isAbout(std::size_t directive, const QString& node) const;

    Document& document_;
};

}  // namespace overlap::ui
