#include "ui/inspector/inspector_rows.h"

#include "core/graph/short_names.h"
#include "ui/document/applied_buckets.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/module_names.h"
#include "ui/edits/bucket_commands.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/theme/standard_strings.h"

namespace overlap::ui {

QString inspectorText(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString bothTexts(const QString& first, const QString& second) {
    return first + QStringLiteral(" · ") + second;
}

QString exposedRowLabel(const Evaluation& evaluation) {
    return sharesLinks(evaluation) ? exposedLinksSharedLabel() : Document::tr("exposed");
}

InspectorPiece nodeLink(const Graph& graph, NodeId node) {
    return {inspectorText(graph.name(node)), QStringLiteral("node:") + inspectorText(graph.name(node)), Tone::plain};
}

InspectorPiece moduleLink(const QString& path) {
    return {path, QStringLiteral("module:") + path, Tone::plain};
}

std::vector<InspectorPiece> moduleLinks(const QStringList& paths) {
    std::vector<InspectorPiece> pieces;
    qsizetype begin = 0;
    for (const ShortName& name : short_names_of(standardStrings(paths))) {
        const auto count = static_cast<qsizetype>(name.paths);
        const QStringList meant = paths.mid(begin, count);
        begin += count;
        if (count == 1)
            pieces.push_back(moduleLink(meant.front()));
        else
            pieces.push_back({QString::fromStdString(name.text), QStringLiteral("modules:") + meant.join(u','),
                              Tone::plain, namesInLines(meant, QStringLiteral(", "))});
    }
    return pieces;
}

InspectorPiece bucketLink(Document& document, int bucket) {
    return {BucketCommands(document).title(bucket), QStringLiteral("bucket:%1").arg(bucket), Tone::plain};
}

std::vector<InspectorPiece> bucketRemark(const Document& document) {
    const QString why = whyBucketsAreNotApplied(document);
    if (why.isEmpty()) return {};
    return {{Document::tr("not applied"), QString(), Tone::caution, QStringList(why)}};
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
