#include "ui/plan/bucket_model.h"

#include <QHash>
#include <algorithm>

#include "core/views/bucket_hues.h"
#include "core/views/bucket_sums.h"
#include "ui/document/applied_buckets.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/module_names.h"
#include "ui/document/removed_collectives.h"
#include "ui/edits/bucket_commands.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

namespace {

/// Links that are shared make a bucket slower than it is alone.
std::optional<double> shownTime(const BucketPart& part) {
    if (part.shared_ms) return part.shared_ms;
    return part.made_bytes ? part.made_ms : part.time_ms;
}

/// Nothing where any is not known.
std::optional<double> shownTime(const BucketSummary& summary) {
    std::optional<double> sum_ms;
    for (const BucketPart& part : summary.parts) {
        const std::optional<double> time_ms = shownTime(part);
        if (!time_ms) return std::nullopt;
        sum_ms = sum_ms.value_or(0) + *time_ms;
    }
    return sum_ms;
}

QString weightText(const QString& kinds, std::int64_t bytes, std::optional<double> time_ms) {
    QString text = kinds + u' ' + formatBytes(static_cast<double>(bytes));
    if (time_ms) text += u' ' + formatTime(*time_ms);
    return text;
}

QString partText(const BucketPart& part) {
    return weightText(shortKindName(part.kind), part.made_bytes.value_or(part.bytes), shownTime(part));
}

/// A line for each part, and what it would be otherwise.
QStringList partLines(const BucketSummary& summary) {
    QStringList lines;
    for (const BucketPart& part : summary.parts) {
        lines.append(partText(part));
        if (part.made_bytes)
            lines.append(BucketModel::tr("%1 in the graph, before the plan's passes")
                             .arg(weightText(shortKindName(part.kind), part.bytes, part.time_ms)));
        else if (part.shared_ms && part.time_ms)
            lines.append(BucketModel::tr("%1 with links shared, %2 where nothing else is on them")
                             .arg(formatTime(*part.shared_ms), formatTime(*part.time_ms)));
    }
    return lines;
}

/// The part that collectives of a kind belong to. A pass may have made the first of a kind.
BucketPart& partOf(BucketSummary& summary, CollectiveKind kind) {
    const auto found = std::ranges::find(summary.parts, kind, &BucketPart::kind);
    return found != summary.parts.end() ? *found : summary.parts.emplace_back(BucketPart{.kind = kind});
}

}  // namespace

const BucketPart* BucketSummary::part(CollectiveKind kind) const {
    const auto found = std::ranges::find(parts, kind, &BucketPart::kind);
    return found == parts.end() ? nullptr : &*found;
}

QString shortKindName(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return QStringLiteral("AG");
        case CollectiveKind::reduce_scatter:
            return QStringLiteral("RS");
        case CollectiveKind::all_reduce:
            return QStringLiteral("AR");
        default: {
            const std::string_view name = collective_kind_name(kind);
            return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace(u'_', u'-');
        }
    }
}

BucketSummary summarise(const BucketFigures& figures) {
    BucketSummary summary;
    for (const MergedCollective& collective : figures.collectives) summary.collectives += collective.members.size();
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce})
        if (figures.count(kind) > 0)
            summary.parts.push_back({.kind = kind, .bytes = figures.bytes(kind), .time_ms = figures.time_ms(kind)});
    return summary;
}

QString bucketFiguresText(const BucketSummary& summary) {
    QStringList texts;
    for (const BucketPart& part : summary.parts) texts.append(partText(part));
    return texts.join(QStringLiteral(" · "));
}

QString bucketSumText(const BucketSummary& summary) {
    if (summary.parts.empty()) return {};
    QStringList kinds;
    std::int64_t bytes = 0;
    for (const BucketPart& part : summary.parts) {
        kinds.append(shortKindName(part.kind));
        bytes += part.made_bytes.value_or(part.bytes);
    }
    return weightText(kinds.join(u'+'), bytes, shownTime(summary));
}

BucketModel::BucketModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    connect(&document, &Document::planChanged, this, &BucketModel::updatePlan);
    connect(&document, &Document::modulesChanged, this, &BucketModel::updatePlan);
    connect(&document, &Document::timesChanged, this, &BucketModel::updatePlan);
    connect(&document, &Document::evaluationChanged, this, &BucketModel::updateEvaluation);
    updatePlan();
}

void BucketModel::updatePlan() {
    const Buckets& buckets = document_.buckets();
    // A row shows its modules alone: of thousands only those that an edit has changed are visited.
    QHash<QStringList, const Row*> known;
    std::vector<NodeId> removed = removedCollectives(document_);
    QString not_applied = whyBucketsAreNotApplied(document_);
    if (graph_ == document_.graph() && modules_ == document_.sharedModules() && removed_ == removed &&
        not_applied_ == not_applied)
        for (const Row& row : rows_) known.insert(row.modules, &row);
    graph_ = document_.graph();
    modules_ = document_.sharedModules();
    removed_ = std::move(removed);
    not_applied_ = std::move(not_applied);
    std::vector<Row> rows(buckets.size());
    const BucketCommands commands(document_);
    const std::vector<std::uint32_t> hues =
        buckets.empty() ? std::vector<std::uint32_t>() : bucket_hues(document_.modules(), buckets);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        Row& row = rows[i];
        row.hue = hues[i];
        row.title = commands.title(static_cast<int>(i));
        for (const std::string& module : buckets[i].modules) {
            row.modules.append(QString::fromStdString(module));
            row.matches = row.matches || document_.modules().find(module) != ModuleTree::no_module;
        }
        if (const Row* same = known.value(row.modules)) {
            row.chips = same->chips;
            row.summary = same->summary;
            row.summary.communication_ms = row.summary.exposed_ms = 0;
        } else {
            row.chips = makeChips(buckets[i]);
            if (not_applied_.isEmpty())
                row.summary = summarise(bucket_figures(*document_.graph(), document_.modules(),
                                                       *document_.loaded().eligibility, buckets[i], removed_));
        }
    }
    addSimulation(rows);

    replaceRows(std::move(rows));
}

void BucketModel::replaceRows(std::vector<Row> rows) {
    // An edit that keeps the number of buckets changes them in place. Else rows are identified by their modules: what
    // is between the common beginning and the common end was removed or added.
    const std::size_t before = rows_.size();
    const std::size_t after = rows.size();
    if (before != after) {
        const std::size_t shorter = std::min(before, after);
        std::size_t head = 0;
        while (head < shorter && rows_[head].modules == rows[head].modules) ++head;
        std::size_t tail = 0;
        while (tail < shorter - head && rows_[before - 1 - tail].modules == rows[after - 1 - tail].modules) ++tail;
        if (before > head + tail) {
            beginRemoveRows({}, static_cast<int>(head), static_cast<int>(before - tail) - 1);
            rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(head),
                        rows_.end() - static_cast<std::ptrdiff_t>(tail));
            endRemoveRows();
        }
        if (after > head + tail) {
            beginInsertRows({}, static_cast<int>(head), static_cast<int>(after - tail) - 1);
            rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(head),
                         rows.begin() + static_cast<std::ptrdiff_t>(head),
                         rows.end() - static_cast<std::ptrdiff_t>(tail));
            endInsertRows();
        }
    }
    rows_ = std::move(rows);
    if (!rows_.empty()) emit dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1));
}

std::vector<BucketChip> BucketModel::makeChips(const BucketEntry& entry) const {
    std::vector<BucketChip> chips;
    if (entry.modules.size() != 1) {
        for (const std::string& module : entry.modules)
            chips.push_back({QString::fromStdString(module), QString::fromStdString(module), true});
        return chips;
    }
    // One module would only repeat the title; its parts that communicate say more.
    const ModuleTree& tree = document_.modules();
    const auto module = tree.find(entry.modules.front());
    const QString path = QString::fromStdString(entry.modules.front());
    const BucketingEligibility& eligibility = *document_.loaded().eligibility;
    std::vector<ModuleTree::ModuleId> parts;
    if (module != ModuleTree::no_module)
        for (const auto child : tree.module(module).children) {
            const auto& nodes = tree.module(child).nodes;
            if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return eligibility.eligible(node); }))
                parts.push_back(child);
        }
    const auto& figures = document_.moduleFigures().modules;
    std::stable_sort(parts.begin(), parts.end(), [&](auto a, auto b) {
        return figures[a].communication_bytes() > figures[b].communication_bytes();
    });
    for (const auto part : parts) {
        const QString name = QString::fromStdString(tree.module(part).name);
        chips.push_back({path + u'.' + name, name, false});
    }
    if (chips.empty()) chips.push_back({path, path, true});
    return chips;
}

void BucketModel::updateEvaluation() {
    if (removedCollectives(document_) != removed_) return updatePlan();
    addSimulation(rows_);
    if (!rows_.empty()) emit dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1));
}

void BucketModel::addSimulation(std::vector<Row>& rows) const {
    const Variant* current = document_.current();
    if (!current || current->stale() || rows.empty()) return;
    for (Row& row : rows) {
        row.summary.communication_ms = row.summary.exposed_ms = 0;
        std::erase_if(row.summary.parts, [](const BucketPart& part) { return part.bytes == 0; });  // made by passes
        for (BucketPart& part : row.summary.parts) {
            part.shared_ms.reset();
            part.made_bytes.reset();
            part.made_ms.reset();
        }
        row.severity = -1;
        row.problem.clear();
    }
    const auto shown = withLinksShared(current->evaluation());
    const Evaluation& evaluation = *shown;
    const bool shared = !links_in_common(*evaluation.graph, evaluation.time_source.get()).empty();
    const std::vector<BucketSums> sums = bucket_sums(evaluation, *document_.loaded().eligibility);
    for (std::size_t bucket = 0; bucket < std::min(sums.size(), rows.size()); ++bucket) {
        BucketSummary& summary = rows[bucket].summary;
        summary.communication_ms = sums[bucket].communication_ms;
        summary.exposed_ms = sums[bucket].exposed_ms;
        for (const BucketSums::OfKind& sum : sums[bucket].kinds) {
            BucketPart& part = partOf(summary, sum.kind);
            if (sum.bytes != part.bytes) part.made_bytes = sum.bytes;
            if (evaluation.times_known) part.made_ms = sum.time_ms;
            if (shared) part.shared_ms = sum.time_ms;
        }
    }
    for (const Problem& problem : evaluation.problems) {
        if (problem.kind == ProblemKind::exposed) continue;  // the bar shows it
        if (problem.plan_entry < 0 || static_cast<std::size_t>(problem.plan_entry) >= rows.size()) continue;
        Row& row = rows[static_cast<std::size_t>(problem.plan_entry)];
        if (static_cast<int>(problem.severity) <= row.severity) continue;
        row.severity = static_cast<int>(problem.severity);
        row.problem = QString::fromStdString(problem.message);
    }
}

int BucketModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QString BucketModel::figuresText(const Row& row) const {
    if (!not_applied_.isEmpty()) return tr("not applied");
    return row.matches ? bucketFiguresText(row.summary) : tr("matches no module");
}

QString BucketModel::accessibleText(const Row& row) const {
    QString text =
        tr("Bucket %1, %2, modules %3").arg(row.title, figuresText(row), row.modules.join(QStringLiteral(", ")));
    if (row.summary.exposed_ms > 0) text += tr(", %1 exposed").arg(formatTime(row.summary.exposed_ms));
    return row.problem.isEmpty() ? text : text + QStringLiteral(", ") + row.problem;
}

QVariant BucketModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case title_role:
            return row.title;
        case Qt::EditRole: {
            const std::string& own = document_.buckets()[static_cast<std::size_t>(index.row())].title;
            return own.empty() ? row.title : QString::fromStdString(own);
        }
        case Qt::AccessibleTextRole:
            return accessibleText(row);
        case Qt::ToolTipRole: {
            QStringList lines = namesInLines(row.modules, QStringLiteral(" + "));
            lines += partLines(row.summary);
            if (!not_applied_.isEmpty()) lines.append(not_applied_);
            const bool shared = std::ranges::any_of(row.summary.parts,
                                                    [](const BucketPart& part) { return part.shared_ms.has_value(); });
            if (row.summary.communication_ms > 0)
                lines.append(tr("%1 of %2 communication exposed")
                                 .arg(formatTime(row.summary.exposed_ms), formatTime(row.summary.communication_ms)) +
                             (shared ? QStringLiteral(", ") + linksSharedLabel() : QString()));
            if (!row.problem.isEmpty()) lines.append(row.problem);
            return lines.join(u'\n');
        }
        case modules_role:
            return row.modules;
        case figures_role:
            return figuresText(row);
        case sum_role:
            return not_applied_.isEmpty() && row.matches ? bucketSumText(row.summary) : figuresText(row);
        case time_role:
            return shownTime(row.summary) ? formatTime(*shownTime(row.summary)) : QString();
        case exposed_role:
            return row.summary.communication_ms > 0 ? row.summary.exposed_ms / row.summary.communication_ms : -1.0;
        case severity_role:
            return row.severity;
        case problem_role:
            return row.problem;
        case hue_role:
            return row.hue;
        default:
            return {};
    }
}

bool BucketModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole || !document_.editable()) return false;
    QString title = value.toString().trimmed();
    const BucketEntry& entry = document_.buckets()[static_cast<std::size_t>(index.row())];
    if (title == QString::fromStdString(display_name(entry))) title.clear();
    BucketCommands(document_).rename(index.row(), title);
    return true;
}

Qt::ItemFlags BucketModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return document_.editable() ? flags | Qt::ItemIsEditable | Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled : flags;
}

}  // namespace overlap::ui
