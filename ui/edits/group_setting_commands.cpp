#include "ui/edits/group_setting_commands.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/plan/process_groups_field.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"

namespace overlap::ui {
namespace {

const std::vector<GroupSettings>& asked(Document& document) {
    return document.current()->plan().process_groups;
}

}  // namespace

QString GroupSettingCommands::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return Document::tr("The baseline is the graph as it is; choose or add a plan to edit");
    if (const auto& unread = document_.current()->plan().unread_process_groups) {
        const InputError error(unread->place, unread->problem);
        return Document::tr("The plan's settings cannot be read: %1").arg(QString::fromUtf8(error.what()));
    }
    return {};
}

std::optional<GroupSettings> GroupSettingCommands::settings(const QString& group) const {
    const auto evaluation = document_.evaluation();
    const ProcessGroup* found = evaluation ? evaluation->graph->header().process_group(group.toStdString()) : nullptr;
    if (!found) return std::nullopt;
    if (!document_.editable()) return settings_of(*found);
    if (!refusal().isEmpty()) return std::nullopt;
    return settings_for(asked(document_), *found);
}

bool GroupSettingCommands::given(const QString& group) const {
    if (!refusal().isEmpty()) return false;
    const std::vector<GroupSettings>& all = asked(document_);
    return std::ranges::find(all, group.toStdString(), &GroupSettings::group) != all.end();
}

QString GroupSettingCommands::askedText(const QString& group) const {
    if (!refusal().isEmpty()) return {};
    const std::vector<GroupSettings>& all = asked(document_);
    const auto found = std::ranges::find(all, group.toStdString(), &GroupSettings::group);
    if (found == all.end()) return {};
    QStringList parts;
    if (found->high_priority)
        parts.append(*found->high_priority ? Document::tr("high priority") : Document::tr("default priority"));
    for (const GroupNumber& number : group_numbers()) {
        if (const std::optional<int> value = (*found).*number.value)
            parts.append(QStringLiteral("%1 %2").arg(QString::fromUtf8(number.name)).arg(*value));
    }
    return parts.join(QStringLiteral(", "));
}

void GroupSettingCommands::set(const GroupSettings& wanted, const QString& merge_key) {
    const QString group = QString::fromStdString(wanted.group);
    if (!refusal().isEmpty() || settings(group) == wanted) return;
    GroupSettings written = wanted;
    const ProcessGroup* of_graph = document_.evaluation()->graph->header().process_group(wanted.group);
    if (of_graph && written.high_priority == settings_of(*of_graph).high_priority) written.high_priority.reset();
    edit(Document::tr("Settings of process group %1").arg(group), with_group_settings(asked(document_), written),
         merge_key);
}

void GroupSettingCommands::reset(const QString& group) {
    if (!given(group)) return;
    edit(Document::tr("Default settings of process group %1").arg(group),
         without_group_settings(asked(document_), group.toStdString()), {});
}

void GroupSettingCommands::edit(const QString& text, std::vector<GroupSettings> process_groups,
                                const QString& merge_key) {
    Plan plan = document_.current()->plan();
    plan.process_groups = std::move(process_groups);
    document_.current()->edit(text, plan, merge_key);
}

}  // namespace overlap::ui
