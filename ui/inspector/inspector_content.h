#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "ui/document/document.h"

namespace overlap::ui {

class MemoryEffects;

/// How a value of the inspector is set.
enum class Tone { plain, hidden, exposed, caution, faint };

/// The link to advice for the selected collective.
inline const QString inspector_advice_link = QStringLiteral("advice");

/// A piece of a value: text, and what a click on it selects (`node:NAME`, `module:PATH`, `modules:PATH,PATH`,
/// `bucket:N`, `group:NAME`) or does (`memory:ACTION` puts the selection under a memory action; `put:together`,
/// `put:apart` and `put:out` put the selected modules into a new bucket, into one each, or out of theirs),
/// inspector_advice_link, or nothing.
struct InspectorPiece {
    QString text;
    QString link;
    Tone tone = Tone::plain;
    QStringList tip{};  ///< what it stands for, in lines
};

/// A label with its value, or a sentence.
struct InspectorRow {
    QString label;
    std::vector<InspectorPiece> pieces;
    bool block = false;  ///< a sentence, set over the whole width
};

/// Everything the application knows of what is selected, as text; the panel only sets it.
struct InspectorContent {
    QString kind;  ///< "node", "module", "modules", "bucket", "process group"; empty when nothing is selected
    QString title;
    std::vector<InspectorRow> rows;
    /// The collective that it explains, as an index of the evaluation's Simulation::collectives; -1: none.
    std::int32_t collective = -1;
};

/// What is known of the document's selection; empty where nothing is selected or no graph is open.
InspectorContent inspect(Document& document);

/// What putting the selection under each memory action that concerns it would change, as links that do it; empty where
/// there is no such action. @param graph of the document.
std::vector<InspectorRow> memoryRows(const MemoryEffects& effects, const Graph& graph, const Selection& selection);

/// Follows a link of a piece: selects or does what it names.
/// @returns why that was refused, as a sentence without full stop, or nothing.
QString followInspectorLink(Document& document, const QString& link);

/// The content as lines "label<TAB>value", for the clipboard.
QString plainText(const InspectorContent& content);

}  // namespace overlap::ui
