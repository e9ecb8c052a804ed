#include "ui/panels/group_settings_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <array>

#include "core/plan/group_settings.h"
#include "ui/document/document.h"

namespace overlap::ui {
namespace {

/// A whole number, or NCCL's default, which is one below the lowest.
QSpinBox* numberField(const QString& name, const QString& help, int least, int most) {
    auto* field = new QSpinBox;
    field->setRange(least - 1, most);
    field->setSpecialValueText(GroupSettingsForm::tr("default"));
    field->setKeyboardTracking(false);  // "16" is one edit, and not one for "1" before it
    field->setAccessibleName(name);
    field->setToolTip(help);
    return field;
}

std::optional<int> valueOf(const QSpinBox& field) {
    return field.value() == field.minimum() ? std::nullopt : std::optional(field.value());
}

void showValue(QSpinBox& field, const std::optional<int>& value) {
    const QSignalBlocker quiet(field);
    field.setValue(value.value_or(field.minimum()));
}

}  // namespace

GroupSettingsForm::GroupSettingsForm(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      commands_(document),
      title_(new QLabel),
      high_priority_(new QCheckBox(tr("&High priority"))),
      least_(numberField(tr("Thread blocks at least"),
                         tr("Thread blocks (CTAs) that a collective takes at least: min_ctas"), 1, most_group_ctas)),
      most_(numberField(tr("Thread blocks at most"),
                        tr("Thread blocks (CTAs) that a collective takes at most, also an emulated one: max_ctas"), 1,
                        most_group_ctas)),
      cluster_(numberField(tr("Cluster size"),
                           tr("Thread blocks that NCCL launches as one cluster, 0 for none: cga_cluster_size"), 0,
                           largest_group_cluster)),
      reset_(new QToolButton) {
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long name must not widen the window
    high_priority_->setToolTip(tr("The group's stream goes before others: is_high_priority_stream"));
    reset_->setText(tr("Reset"));
    reset_->setToolTip(tr("Take what the plan asks of this group out of it"));
    reset_->setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(8);
    layout->addWidget(title_, 1);
    layout->addWidget(high_priority_);
    layout->addSpacing(8);
    const auto label = [&](const QString& text, QWidget* field) {
        auto* shown = new QLabel(text);
        shown->setProperty("role", "dim");
        shown->setBuddy(field);
        layout->addWidget(shown);
        layout->addWidget(field);
    };
    label(tr("CTAs from"), least_);
    label(tr("to"), most_);
    layout->addSpacing(8);
    label(tr("Cluster size"), cluster_);
    layout->addWidget(reset_);
    connect(high_priority_, &QCheckBox::clicked, this, [this] { commands_.set(entered()); });
    for (QSpinBox* field : {least_, most_, cluster_})
        connect(field, &QSpinBox::valueChanged, this, [this, field] { edit(*field); });
    connect(reset_, &QToolButton::clicked, this, [this] { commands_.reset(group_); });
    connect(&document, &Document::planChanged, this, &GroupSettingsForm::update);
    connect(&document, &Document::evaluationChanged, this, &GroupSettingsForm::update);
    update();
}

void GroupSettingsForm::showGroup(const QString& name) {
    group_ = name;
    update();
}

void GroupSettingsForm::update() {
    const std::optional<GroupSettings> settings = commands_.settings(group_);
    QString refusal = commands_.refusal();
    if (refusal.isEmpty() && group_.isEmpty()) refusal = tr("Select a group to set it up for a run or a job");
    if (refusal.isEmpty() && !settings) refusal = tr("The graph's document does not list this group");
    const QString told = refusal.isEmpty() ? tr("in a run or a job") : refusal;
    title_->setText(group_.isEmpty() ? told : tr("Group %1: %2").arg(group_, told));
    title_->setToolTip(title_->text());
    for (QWidget* field : std::array<QWidget*, 4>{high_priority_, least_, most_, cluster_})
        field->setEnabled(refusal.isEmpty());
    reset_->setEnabled(commands_.given(group_));
    showValues(settings.value_or(GroupSettings()));
}

void GroupSettingsForm::showValues(const GroupSettings& settings) {
    high_priority_->setChecked(settings.high_priority.value_or(false));
    showValue(*least_, settings.min_ctas);
    showValue(*most_, settings.max_ctas);
    showValue(*cluster_, settings.cga_cluster_size);
}

void GroupSettingsForm::edit(QSpinBox& changed) {
    GroupSettings settings = entered();
    // At least is at most as much as at most: the one that was not touched follows.
    if (settings.min_ctas && settings.max_ctas && *settings.min_ctas > *settings.max_ctas)
        (&changed == most_ ? settings.min_ctas : settings.max_ctas) = changed.value();
    commands_.set(settings, QStringLiteral("group settings %1 %2").arg(changed.accessibleName(), group_));
}

GroupSettings GroupSettingsForm::entered() const {
    GroupSettings settings;
    settings.group = group_.toStdString();
    settings.high_priority = high_priority_->isChecked();
    settings.min_ctas = valueOf(*least_);
    settings.max_ctas = valueOf(*most_);
    settings.cga_cluster_size = valueOf(*cluster_);
    return settings;
}

}  // namespace overlap::ui
