#include "ui/graph/box_texts.h"

#include <QStringList>

#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/known_time.h"

namespace overlap::ui {
namespace {

/// Types as they are written beside shapes: short, as in assembly of compilers.
QString shortDtype(Dtype dtype) {
    const QString name = fromCore(dtype_info(dtype).name);
    static const QHash<QString, QString> known{
        {"bfloat16", "bf16"}, {"float16", "f16"},   {"float32", "f32"}, {"float64", "f64"}, {"int64", "i64"},
        {"int32", "i32"},     {"complex64", "c64"}, {"uint8", "u8"},    {"int8", "i8"},     {"float8_e4m3fn", "f8"}};
    return known.value(name, name);
}

QString boxNodes(std::integral auto nodes) {
    return countedText(nodes, BoxTexts::tr("%1 node"), BoxTexts::tr("%1 nodes"));
}

}  // namespace

QString fromCore(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString shortTarget(const QString& target) {
    const QStringList parts = target.split(u'.');
    // namespace.name.overload, or a path of a Python function.
    return parts.size() == 3 ? parts[1] : parts.back();
}

QString BoxTexts::title(BoxId id) const {
    const Box& box = tree_.box(id);
    switch (box.kind) {
        case BoxKind::root:
            return tr("model");
        case BoxKind::module: {
            const QString whole = fromCore(modules_.path(box.module));
            BoxId around = box.parent;
            while (tree_.box(around).kind == BoxKind::run || tree_.box(around).kind == BoxKind::slice)
                around = tree_.box(around).parent;
            const ModuleTree::ModuleId outer = tree_.box(around).module;
            const QString name =
                outer == ModuleTree::no_module ? whole : whole.mid(fromCore(modules_.path(outer)).size() + 1);
            return box.phase == Phase::backward && around == BoxTree::root ? tr("%1 backward").arg(name) : name;
        }
        case BoxKind::run:
            return runTitle(box, id);
        case BoxKind::slice:
            return QStringLiteral("%1 … %2").arg(fromCore(graph_.name(tree_.nodes_of(id).front())),
                                                 fromCore(graph_.name(tree_.nodes_of(id).back())));
        case BoxKind::operation:
            return graph_.op(box.node) == NodeOp::call_function ? shortTarget(fromCore(graph_.target(box.node)))
                                                                : fromCore(graph_.name(box.node));
        case BoxKind::interface:
            return tr("inputs and output");
        case BoxKind::unplaced:
            return box.phase == Phase::backward ? tr("not in a module, backward") : tr("not in a module");
    }
    return {};
}

QString BoxTexts::runTitle(const Box& box, BoxId id) const {
    const auto [first, last] = tree_.modules_of_run(id);
    const bool backward = box.phase == Phase::backward;
    const QString range = QStringLiteral("%1 … %2").arg(fromCore(modules_.path(backward ? last : first)),
                                                        fromCore(modules_.path(backward ? first : last)));
    return backward && box.parent == BoxTree::root ? tr("%1 backward").arg(range) : range;
}

QString BoxTexts::className(BoxId id) const {
    const Box& box = tree_.box(id);
    if (box.module == ModuleTree::no_module || box.kind != BoxKind::module) return {};
    // The base class says nothing; graphs with `module_fqn` have no other.
    const QString last = fromCore(modules_.module(box.module).own_class).section(u'.', -1);
    return last == u"Module" ? QString() : last;
}

QString BoxTexts::operationFigures(const Box& box, const BoxFigures& figures) const {
    QStringList parts;
    if (const double ms = figures.compute_ms + figures.communication_ms; ms > 0) parts.append(formatTime(ms));
    if (figures.communication_bytes() > 0) {
        parts.append(formatBytes(static_cast<double>(figures.communication_bytes())));
    } else if (const auto outputs = graph_.outputs(box.node); !outputs.empty() && outputs.front().is_tensor) {
        QStringList sizes;
        for (const std::int64_t size : graph_.shape(outputs.front())) sizes.append(QString::number(size));
        parts.append(QStringLiteral("%1 %2").arg(shortDtype(outputs.front().dtype), sizes.join(u'×')).trimmed());
    }
    return parts.join(QStringLiteral(" · "));
}

QString BoxTexts::figures(BoxId id, const QString& partly_selected) const {
    const Box& box = tree_.box(id);
    const BoxFigures& figures = figures_[id];
    if (box.kind == BoxKind::operation) return operationFigures(box, figures);
    QStringList parts;
    // A graph without any compute time is one whose times are not known.
    const bool known = figures_[BoxTree::root].compute_ms > 0;
    if (box.kind == BoxKind::run) {
        parts.append(partly_selected.isEmpty() ? tr("%1 identical").arg(box.child_count) : partly_selected);
        parts.append(tr("%1 each on average").arg(formatKnownTime(figures.compute_ms / box.child_count, known)));
        return parts.join(QStringLiteral(" · "));
    }
    if (box.kind != BoxKind::module) parts.append(boxNodes(box.node_count));
    if (figures.compute_ms > 0 || parts.isEmpty()) parts.append(formatKnownTime(figures.compute_ms, known));
    const auto moved = [&](const QString& form, std::int64_t bytes) {
        if (bytes > 0) parts.append(form.arg(formatBytes(static_cast<double>(bytes))));
    };
    moved(tr("gathers %1"), figures.gather_bytes);
    moved(tr("scatters %1"), figures.scatter_bytes);
    moved(tr("moves %1"), figures.other_bytes);
    return parts.join(QStringLiteral(" · "));
}

QString BoxTexts::partlySelected(BoxId id, std::uint32_t modules) const {
    return modules > 0 ? tr("%1 of %2 selected").arg(modules).arg(tree_.box(id).child_count) : tr("partly selected");
}

QString BoxTexts::exposed(BoxId id, double ms) const {
    const Box& box = tree_.box(id);
    if (box.kind != BoxKind::run) return tr("exposed %1").arg(formatTime(ms));
    return tr("exposed %1 × %2").arg(box.child_count).arg(formatTime(ms / box.child_count));
}

QString BoxTexts::held(BoxId id, double bytes) const {
    const Box& box = tree_.box(id);
    if (box.kind != BoxKind::run) return tr("holds %1").arg(formatBytes(bytes));
    return tr("holds %1 × %2").arg(box.child_count).arg(formatBytes(bytes / box.child_count));
}

QString BoxTexts::path(BoxId box) const {
    QStringList titles;
    for (; box != no_box && box != BoxTree::root; box = tree_.box(box).parent) titles.prepend(title(box));
    return titles.join(QStringLiteral(" › "));
}

QString BoxTexts::toolTip(const PlacedBox& placed, double exposed_ms, const QString& partly_selected) const {
    const BoxId id = placed.box;
    const Box& box = tree_.box(id);
    const BoxFigures& figures = figures_[id];
    QStringList lines{QStringLiteral("<b>%1</b>").arg(shownName(path(id)).toHtmlEscaped())};
    if (box.kind == BoxKind::operation) {
        lines.append(QStringLiteral("%1 = %2").arg(shownName(fromCore(graph_.name(box.node))).toHtmlEscaped(),
                                                   shownName(fromCore(graph_.target(box.node))).toHtmlEscaped()));
    } else if (const QString name = className(id); !name.isEmpty()) {
        lines.append(shownName(name).toHtmlEscaped());
    }
    if (!partly_selected.isEmpty())
        for (const QString& line : partly_selected.split(u'\n')) lines.append(shownName(line).toHtmlEscaped());
    if (const QString line = this->figures(id); !line.isEmpty()) lines.append(line);
    if (exposed_ms > 0) lines.append(exposed(id, exposed_ms));
    if (box.kind != BoxKind::operation)
        lines.append(boxNodes(box.node_count) + QStringLiteral(", ") +
                     countedText(figures.collectives, tr("%1 collective"), tr("%1 collectives")));
    if (placed.stubs_in.uses > 0) lines.append(tr("from far away: %1").arg(amount(placed.stubs_in)));
    if (placed.stubs_out.uses > 0) lines.append(tr("to far away: %1").arg(amount(placed.stubs_out)));
    return lines.join(QStringLiteral("<br>")).replace(thinSpace, QChar(QChar::Nbsp));
}

QString BoxTexts::spoken(BoxId id, bool open, const QString& partly_selected) const {
    QStringList parts{title(id)};
    const Box& box = tree_.box(id);
    if (box.phase == Phase::backward && !parts.front().endsWith(tr("backward"))) parts.append(tr("backward"));
    if (const QString name = className(id); !name.isEmpty()) parts.append(name);
    if (const QString line = figures(id); !line.isEmpty()) parts.append(line);
    if (!partly_selected.isEmpty()) parts.append(partly_selected);
    if (tree_.has_children(id)) parts.append(open ? tr("open") : tr("closed"));
    return parts.join(QStringLiteral(", "));
}

QStringList BoxTexts::modules(BoxId id) const {
    const Box& box = tree_.box(id);
    QStringList paths;
    if (box.kind == BoxKind::module) paths.append(fromCore(modules_.path(box.module)));
    if (box.kind == BoxKind::run)
        for (BoxId child = box.first_child; child < box.first_child + box.child_count; ++child)
            paths.append(fromCore(modules_.path(tree_.box(child).module)));
    return paths;
}

QString BoxTexts::key(BoxId id) const {
    const Box& box = tree_.box(id);
    const QString phase = box.phase == Phase::backward ? QStringLiteral("backward") : QStringLiteral("forward");
    switch (box.kind) {
        case BoxKind::module:
            return QStringLiteral("module %1 %2").arg(phase, fromCore(modules_.path(box.module)));
        case BoxKind::run:
            return QStringLiteral("run %1 %2").arg(phase, fromCore(modules_.path(box.module)));
        case BoxKind::operation:
            return QStringLiteral("node %1").arg(fromCore(graph_.name(box.node)));
        case BoxKind::slice:
            return QStringLiteral("slice %1").arg(fromCore(graph_.name(tree_.nodes_of(id).front())));
        case BoxKind::interface:
            return QStringLiteral("interface");
        case BoxKind::unplaced:
            return QStringLiteral("unplaced %1").arg(phase);
        case BoxKind::root:
            break;
    }
    return QStringLiteral("root");
}

QString BoxTexts::amount(const LevelEdge& edge) {
    const QString bytes = formatBytes(static_cast<double>(edge.bytes));
    return edge.tensors == 1 ? bytes : tr("%1 tensors, %2").arg(formatCount(edge.tensors), bytes);
}

}  // namespace overlap::ui
