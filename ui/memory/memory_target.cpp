#include "ui/memory/memory_target.h"

#include <QCoreApplication>

#include "core/graph/direction.h"
#include "ui/document/document.h"
#include "ui/document/module_names.h"

namespace overlap::ui {

QString MemoryTarget::title() const {
    QString text = modules.isEmpty() ? QCoreApplication::translate("MemoryTarget", "whole model")
                                     : shortNames(modules).join(QStringLiteral(" + "));
    if (!operators.isEmpty()) text += QStringLiteral(" :: ") + operators.join(QStringLiteral(" + "));
    return text;
}

std::optional<MemoryTarget> selectedTarget(Document& document) {
    if (!document.isOpen()) return std::nullopt;
    const Selection& selection = document.selection();
    MemoryTarget target;
    if (!selection.modules().isEmpty()) {
        target.modules = selection.modules();
        if (target.modules.contains(QString())) return MemoryTarget();
    } else if (selection.kind() == Selection::Kind::bucket) {
        const Buckets& buckets = document.buckets();
        const int bucket = selection.bucket();
        if (bucket < 0 || static_cast<std::size_t>(bucket) >= buckets.size()) return std::nullopt;
        for (const std::string& module : buckets[static_cast<std::size_t>(bucket)].modules)
            target.modules.append(QString::fromStdString(module));
    } else if (selection.kind() == Selection::Kind::node) {
        const Graph& graph = *document.graph();
        const NodeId node = graph.find(selection.node().toStdString());
        if (node == no_node || graph.op(node) != NodeOp::call_function || is_backward(graph, node)) return std::nullopt;
        const std::string_view module = graph.text(graph.metadata(node).module_fqn);
        if (module.empty()) return std::nullopt;
        target.modules = {QString::fromUtf8(module.data(), static_cast<qsizetype>(module.size()))};
        const std::string_view name = graph.target(node);
        target.operators = {QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))};
    }
    return target.modules.isEmpty() ? std::nullopt : std::optional(target);
}

}  // namespace overlap::ui
