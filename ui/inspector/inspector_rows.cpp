#include "ui/inspector/inspector_rows.h"

#include "ui/edits/bucket_commands.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

QString inspectorText(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString bothTexts(const QString& first, const QString& second) {
    return first + QStringLiteral(" · ") + second;
}

InspectorPiece nodeLink(const Graph& graph, NodeId node) {
    return {inspectorText(graph.name(node)), QStringLiteral("node:") + inspectorText(graph.name(node)), Tone::plain};
}

InspectorPiece moduleLink(const QString& path) {
    return {path, QStringLiteral("module:") + path, Tone::plain};
}

InspectorPiece bucketLink(Document& document, int bucket) {
    return {BucketCommands(document).title(bucket), QStringLiteral("bucket:%1").arg(bucket), Tone::plain};
}

InspectorPiece groupLink(const QString& name) {
    return {name, QStringLiteral("group:") + name, Tone::plain};
}

InspectorPiece bare(const QString& value, Tone tone) {
    return {value, {}, tone};
}

void InspectorRows::add(const QString& label, const QString& value, Tone tone) {
    if (!value.isEmpty()) rows_.push_back({label, {bare(value, tone)}, false});
}

void InspectorRows::add(const QString& label, std::vector<InspectorPiece> pieces) {
    if (!pieces.empty()) rows_.push_back({label, std::move(pieces), false});
}

void InspectorRows::sentence(const QString& value, Tone tone) {
    if (!value.isEmpty()) rows_.push_back({{}, {bare(withUnbrokenUnits(value), tone)}, true});
}

}  // namespace overlap::ui
