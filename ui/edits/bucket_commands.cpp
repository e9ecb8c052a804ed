#include "ui/edits/bucket_commands.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/graph/short_names.h"
#include "core/plan/bucket_drop.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/theme/numbers.h"
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

QString BucketCommands::listed(const std::vector<std::string>& modules) const {
    const std::vector<std::string> names = short_names(modules);
    return names.size() <= 2 ? QString::fromStdString(overlap::listed(names)) : tr("%1 modules").arg(modules.size());
}

QString ModulesPut::remark() const {
    return moved.isEmpty() || left_out.isEmpty() ? moved + left_out : moved + u'\n' + left_out;
}

ModulesPut BucketCommands::whatIsPut(const QStringList& modules, int target) const {
    if (!document_.isOpen()) return {.refusal = noGraphOpen(document_)};
    if (!document_.editable())
        return {.refusal = tr("The baseline is the graph as it is; choose or add a plan to edit")};
    if (modules.isEmpty()) return {.refusal = tr("There is no module to put into a bucket")};
    const Buckets& buckets = document_.buckets();
    const std::size_t entry = target < 0 ? buckets.size() : static_cast<std::size_t>(target);
    const auto is_there = [&](const std::string& module) {
        return entry < buckets.size() && std::ranges::count(buckets[entry].modules, module) > 0;
    };
    const std::vector<std::string> names = standardStrings(modules);
    if (std::ranges::all_of(names, is_there))
        return {.refusal = modules.size() == 1 ? tr("%1 is in bucket %2 already").arg(modules.front(), title(target))
                                               : tr("All of them are in bucket %1 already").arg(title(target))};
    BucketDrop drop =
        bucket_drop(*document_.graph(), document_.modules(), *document_.loaded().eligibility, buckets, names, entry);
    ModulesPut put{
        .taken = std::move(drop.taken), .moved = movedText(drop.moved), .left_out = leftOutText(drop.left_out)};
    if (std::ranges::all_of(put.taken, is_there)) put.refusal = QString::fromStdString(drop.left_out.front().reason);
    return put;
}

QString BucketCommands::movedText(const std::vector<std::string>& moved) const {
    if (moved.empty()) return {};
    if (moved.size() > 1)
        return tr("%1 of them come out of other buckets").arg(formatCount(static_cast<std::int64_t>(moved.size())));
    return tr("%1 comes out of bucket %2")
        .arg(QString::fromStdString(moved.front()), title(bucket_of_module(document_.buckets(), moved.front())));
}

QString BucketCommands::leftOutText(const std::vector<BucketDrop::LeftOut>& left_out) const {
    if (left_out.empty()) return {};
    const QString reason = QString::fromStdString(left_out.front().reason);
    return left_out.size() == 1
               ? tr("%1 stays where it is: %2").arg(QString::fromStdString(left_out.front().module), reason)
               : tr("%1 of them stay where they are: %2, and so on")
                     .arg(formatCount(static_cast<std::int64_t>(left_out.size())), reason);
}

QString BucketCommands::refusal(const QStringList& modules, int target) const {
    return whatIsPut(modules, target).refusal;
}

QString BucketCommands::put(const QStringList& modules, int target) {
    const ModulesPut put = whatIsPut(modules, target);
    if (!put.refusal.isEmpty()) return put.refusal;
    document_.editBuckets(tr("Put %1 into %2").arg(listed(put.taken), title(target)),
                          edits::move_modules(document_.buckets(), put.taken, static_cast<std::size_t>(target)));
    return put.left_out;
}

QString BucketCommands::putIntoNew(const QStringList& modules, int at) {
    const ModulesPut put = whatIsPut(modules, -1);
    if (!put.refusal.isEmpty()) return put.refusal;
    const Buckets& buckets = document_.buckets();
    document_.editBuckets(
        tr("Put %1 into a new bucket").arg(listed(put.taken)),
        edits::move_modules_to_new(buckets, put.taken, at < 0 ? buckets.size() : static_cast<std::size_t>(at)));
    return put.left_out;
}

QString BucketCommands::putIntoNewEach(const QStringList& modules) {
    const ModulesPut put = whatIsPut(modules, -1);
    if (!put.refusal.isEmpty()) return put.refusal;
    Buckets buckets = document_.buckets();
    for (const std::string& module : put.taken) {
        const std::size_t end = buckets.size();
        buckets = edits::move_modules_to_new(std::move(buckets), {module}, end);
    }
    document_.editBuckets(tr("Put %1 into a new bucket each").arg(listed(put.taken)), std::move(buckets));
    return put.left_out;
}

void BucketCommands::takeOut(const QStringList& modules) {
    document_.editBuckets(tr("Take %1 out").arg(listed(standardStrings(modules))),
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

/// Modules that a bucket has already stay there, and entries that this empties are gone.
std::vector<BucketDrop::LeftOut> BucketCommands::takeOutOfTyped(Buckets& entries) const {
    std::vector<BucketDrop::LeftOut> left_out;
    const auto is_left_out = [&](const std::string& module) {
        const int bucket = bucket_of_module(document_.buckets(), module);
        if (bucket < 0) return false;
        const QString reason = tr("%1 is in bucket %2 already").arg(QString::fromStdString(module), title(bucket));
        left_out.push_back({module, reason.toStdString()});
        return true;
    };
    std::erase_if(entries, [&](BucketEntry& entry) {
        return std::erase_if(entry.modules, is_left_out) > 0 && entry.modules.empty();
    });
    return left_out;
}

QString BucketCommands::addText(const QString& text) {
    if (!document_.editable()) return refusal({text}, -1);
    try {
        Buckets entries = parse_bucket_entries(text.toStdString());
        if (entries.empty()) return tr("There is no module name in it");
        const std::vector<BucketDrop::LeftOut> left_out = takeOutOfTyped(entries);
        if (entries.empty())
            return left_out.size() == 1 ? QString::fromStdString(left_out.front().reason)
                                        : tr("All of them are in buckets already: %1, and so on")
                                              .arg(QString::fromStdString(left_out.front().reason));
        std::vector<std::string> taken;
        for (const BucketEntry& entry : entries) taken.insert(taken.end(), entry.modules.begin(), entry.modules.end());
        document_.editBuckets(tr("Add %1").arg(left_out.empty() ? text.trimmed() : listed(taken)),
                              edits::add(document_.buckets(), document_.buckets().size(), entries));
        return leftOutText(left_out);
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
