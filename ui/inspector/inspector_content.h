#pragma once

#include <QString>
#include <vector>

#include "ui/document/document.h"

namespace overlap::ui {

/// How a value of the inspector is set.
enum class Tone { plain, hidden, exposed, caution, faint };

/// The link to advice for the selected collective.
inline const QString inspector_advice_link = QStringLiteral("advice");

/// A piece of a value: text, and what a click on it selects (`node:NAME`, `module:PATH`, `bucket:N`,
/// `group:NAME`), inspector_advice_link, or nothing.
struct InspectorPiece {
    QString text;
    QString link;
    Tone tone = Tone::plain;
};

struct InspectorRow {
    QString label;
    std::vector<InspectorPiece> pieces;
    bool block = false;  ///< a sentence, set over the whole width
};

/// Everything the application knows of what is selected, as text; the panel only sets it.
struct InspectorContent {
    QString kind;  ///< "node", "module", "bucket", "process group"; empty when nothing is selected
    QString title;
    std::vector<InspectorRow> rows;
};

InspectorContent inspect(Document& document);

/// Follows a link of a piece: selects what it names.
void followInspectorLink(Document& document, const QString& link);

/// The content as lines "label<TAB>value", for the clipboard.
QString plainText(const InspectorContent& content);

}  // namespace overlap::ui
