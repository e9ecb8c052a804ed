#include "ui/edits/bucket_commands.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/graph/short_names.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/theme/standard_strings.h"

namespace overlap::ui {
namespace {

std::vector<std::size_t> indices(const std::vector<int>& buckets) {
    std::vector<std::size_t> result;
    for (const int bucket : buckets)
        if (bucket >= 0) result.push_back(static_cast<std::size_t>(bucket));
    return result;
}

}  // namespace

QString BucketCommands::title(int bucket) const {
    const Buckets& buckets = document_.buckets();
    if (bucket < 0 || static_cast<std::size_t>(bucket) >= buckets.size()) return {};
    const BucketEntry& entry = buckets[static_cast<std::size_t>(bucket)];
    return QString::fromStdString(entry.title.empty() ? display_name(entry) : entry.title);
}

QString BucketCommands::listed(const QStringList& modules) const {
    const std::vector<std::string> names = short_names(standardStrings(modules));
    return names.size() <= 2 ? QString::fromStdString(overlap::listed(names)) : tr("%1 modules").arg(modules.size());
}

QString BucketCommands::refusal(const QStringList& modules, int target) const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return tr("The baseline is the graph as it is; choose or add a plan to edit");
    if (modules.isEmpty()) return tr("There is no module to put into a bucket");
    const std::size_t entry = target < 0 ? document_.buckets().size() : static_cast<std::size_t>(target);
    if (entry < document_.buckets().size() && std::ranges::all_of(modules, [&](const QString& module) {
            const auto& there = document_.buckets()[entry].modules;
            return std::ranges::find(there, module.toStdString()) != there.end();
        }))
        return modules.size() == 1 ? tr("%1 is in bucket %2 already").arg(modules.front(), title(target))
                                   : tr("All of them are in bucket %1 already").arg(title(target));
    return QString::fromStdString(drop_refusal(*document_.graph(), document_.modules(), *document_.loaded().eligibility,
                                               document_.buckets(), standardStrings(modules), entry));
}

QString BucketCommands::put(const QStringList& modules, int target) {
    if (QString reason = refusal(modules, target); !reason.isEmpty()) return reason;
    document_.editBuckets(
        tr("Put %1 into %2").arg(listed(modules), title(target)),
        edits::move_modules(document_.buckets(), standardStrings(modules), static_cast<std::size_t>(target)));
    return {};
}

QString BucketCommands::putIntoNew(const QStringList& modules, int at) {
    if (QString reason = refusal(modules, -1); !reason.isEmpty()) return reason;
    const Buckets& buckets = document_.buckets();
    document_.editBuckets(tr("Put %1 into a new bucket").arg(listed(modules)),
                          edits::move_modules_to_new(buckets, standardStrings(modules),
                                                     at < 0 ? buckets.size() : static_cast<std::size_t>(at)));
    return {};
}

QString BucketCommands::putIntoNewEach(const QStringList& modules) {
    if (QString reason = refusal(modules, -1); !reason.isEmpty()) return reason;
    Buckets buckets = document_.buckets();
    for (const std::string& module : standardStrings(modules)) {
        const std::size_t end = buckets.size();
        buckets = edits::move_modules_to_new(std::move(buckets), {module}, end);
    }
    document_.editBuckets(tr("Put %1 into a new bucket each").arg(listed(modules)), std::move(buckets));
    return {};
}

void BucketCommands::takeOut(const QStringList& modules) {
    document_.editBuckets(tr("Take %1 out").arg(listed(modules)),
                          edits::take_out(document_.buckets(), standardStrings(modules)));
}

void BucketCommands::remove(const std::vector<int>& buckets) {
    const QString what = buckets.size() == 1 ? title(buckets.front()) : tr("%1 buckets").arg(buckets.size());
    document_.editBuckets(tr("Remove %1").arg(what), edits::remove(document_.buckets(), indices(buckets)));
}

void BucketCommands::merge(const std::vector<int>& buckets) {
    document_.editBuckets(tr("Merge %1 buckets").arg(buckets.size()),
                          edits::merge(document_.buckets(), indices(buckets)));
}

void BucketCommands::split(int bucket) {
    if (bucket < 0) return;
    document_.editBuckets(tr("Split %1").arg(title(bucket)),
                          edits::split(document_.buckets(), static_cast<std::size_t>(bucket)));
}

void BucketCommands::rename(int bucket, const QString& title_text) {
    if (bucket < 0) return;
    const QString trimmed = title_text.trimmed();
    document_.editBuckets(trimmed.isEmpty() ? tr("Remove the name of %1").arg(title(bucket))
                                            : tr("Rename %1 to %2").arg(title(bucket), trimmed),
                          edits::rename(document_.buckets(), static_cast<std::size_t>(bucket), trimmed.toStdString()));
}

void BucketCommands::move(int from, int to) {
    if (from < 0 || to < 0) return;
    document_.editBuckets(
        tr("Move %1").arg(title(from)),
        edits::move_entry(document_.buckets(), static_cast<std::size_t>(from), static_cast<std::size_t>(to)),
        QStringLiteral("move:") + title(from));
}

void BucketCommands::moveModule(int bucket, int from, int to) {
    if (bucket < 0 || from < 0 || to < 0) return;
    document_.editBuckets(tr("Reorder %1").arg(title(bucket)),
                          edits::move_module_within(document_.buckets(), static_cast<std::size_t>(bucket),
                                                    static_cast<std::size_t>(from), static_cast<std::size_t>(to)));
}

QString BucketCommands::addText(const QString& text) {
    if (!document_.editable()) return refusal({text}, -1);
    try {
        const Buckets entries = parse_bucket_entries(text.toStdString());
        if (entries.empty()) return tr("There is no module name in it");
        for (const BucketEntry& entry : entries)
            for (const std::string& module : entry.modules)
                if (bucket_of_module(document_.buckets(), module) >= 0)
                    return tr("%1 is in bucket %2 already")
                        .arg(QString::fromStdString(module), title(bucket_of_module(document_.buckets(), module)));
        document_.editBuckets(tr("Add %1").arg(text.trimmed()),
                              edits::add(document_.buckets(), document_.buckets().size(), entries));
        return {};
    } catch (const InputError& error) {
        return QString::fromStdString(error.place().empty() ? error.problem() : error.place() + ": " + error.problem());
    }
}

void BucketCommands::startFrom(Template start, int blocks) {
    if (!document_.editable()) return;
    switch (start) {
        case Template::empty:
            document_.editBuckets(tr("Start from nothing"), {});
            break;
        case Template::block:
            document_.editBuckets(tr("Start from one bucket a block"),
                                  one_bucket_per_block(document_.modules(), document_.graph().get()));
            break;
        case Template::blocks:
            document_.editBuckets(
                tr("Start from one bucket every %1 blocks").arg(blocks),
                one_bucket_per_blocks(document_.modules(), static_cast<std::size_t>(std::max(1, blocks)),
                                      document_.graph().get()));
            break;
    }
}

}  // namespace overlap::ui
