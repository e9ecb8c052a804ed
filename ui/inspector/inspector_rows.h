#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "ui/inspector/inspector_content.h"

namespace overlap::ui {

/// Text of the core, which is UTF-8.
QString inspectorText(std::string_view view);
/// Both values, with a dot between them.
QString bothTexts(const QString& first, const QString& second);

/// `exposed`, and that links are shared where the step has them so.
QString exposedRowLabel(const Evaluation& evaluation);

// Pieces that are links, see InspectorPiece::link, and one that is none.
InspectorPiece nodeLink(const Graph& graph, NodeId node);
InspectorPiece moduleLink(const QString& path);
/// Names of modules in short, see short_names(); a range has all of them as its tip, and selects them.
std::vector<InspectorPiece> moduleLinks(const QStringList& paths);
InspectorPiece bucketLink(Document& document, int bucket);
/// What follows links to buckets: that no step of the plan takes them. Nothing where one does.
std::vector<InspectorPiece> bucketRemark(const Document& document);
InspectorPiece groupLink(const QString& name);
InspectorPiece bare(const QString& value, Tone tone = Tone::plain);

/// Rows of a description, added in order of reading; those without a value are left out.
class InspectorRows {
  public:
    /// @param content outlives it.
    explicit InspectorRows(InspectorContent& content) : rows_(content.rows) {}

    void add(const QString& label, const QString& value, Tone tone = Tone::plain);
    void add(const QString& label, std::vector<InspectorPiece> pieces);
    void sentence(const QString& value, Tone tone);

  private:
    std::vector<InspectorRow>& rows_;
};

/// The selected modules: the one, or all together.
InspectorContent describeModules(Document& document);

/// A node of the current plan's graph, or of the graph as it was read where the plan has replaced it.
InspectorContent describeNode(Document& document, const QString& name);

}  // namespace overlap::ui
