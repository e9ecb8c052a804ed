#include "ui/panels/group_settings_popup.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <array>

#include "core/plan/group_settings.h"
#include "ui/document/document.h"
#include "ui/panels/popup_place.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int text_width = 300;

/// A whole number, or NCCL's default, which is one below the lowest.
QSpinBox* numberField(const QString& name, const QString& help, int least, int most) {
    auto* field = new QSpinBox;
    field->setRange(least - 1, most);
    field->setSpecialValueText(GroupSettingsPopup::tr("default"));
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

GroupSettingsPopup::GroupSettingsPopup(Document& document, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      document_(document),
      commands_(document),
      title_(new QLabel),
      told_(new QLabel),
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
    setObjectName("groupSettings");
    setAccessibleName(tr("Settings of a process group"));
    title_->setTextFormat(Qt::PlainText);
    told_->setTextFormat(Qt::PlainText);
    told_->setProperty("role", "dim");
    told_->setWordWrap(true);
    told_->setFixedWidth(text_width);
    high_priority_->setToolTip(tr("The group's stream goes before others: is_high_priority_stream"));
    reset_->setText(tr("Reset"));
    reset_->setToolTip(tr("Take what the plan asks of this group out of it"));
    reset_->setFocusPolicy(Qt::StrongFocus);
    auto* blocks = new QHBoxLayout;
    blocks->setSpacing(8);
    blocks->addWidget(least_, 1);
    blocks->addWidget(new QLabel(tr("to")));
    blocks->addWidget(most_, 1);
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(14, 12, 14, 12);
    layout->setHorizontalSpacing(12);
    layout->setVerticalSpacing(8);
    layout->addRow(title_);
    layout->addRow(told_);
    layout->addRow(tr("Stream"), high_priority_);
    layout->addRow(tr("Thread blocks (CTAs)"), blocks);
    layout->addRow(tr("Cluster size"), cluster_);
    layout->addRow(QString(), reset_);
    connect(high_priority_, &QCheckBox::clicked, this, [this] { commands_.set(entered()); });
    for (QSpinBox* field : {least_, most_, cluster_})
        connect(field, &QSpinBox::valueChanged, this, [this, field] { edit(*field); });
    connect(reset_, &QToolButton::clicked, this, [this] { commands_.reset(group_); });
    connect(&document, &Document::planChanged, this, &GroupSettingsPopup::refresh);
    connect(&document, &Document::evaluationChanged, this, &GroupSettingsPopup::refresh);
    refresh();
}

void GroupSettingsPopup::setGroup(const QString& name) {
    group_ = name;
    refresh();
}

void GroupSettingsPopup::openAt(const QPoint& position) {
    adjustSize();
    movePopupBelow(*this, position);
    show();
    (high_priority_->isEnabled() ? static_cast<QWidget*>(high_priority_) : this)->setFocus();
}

void GroupSettingsPopup::refresh() {
    const std::optional<GroupSettings> settings = commands_.settings(group_);
    QString refusal = commands_.refusal();
    if (refusal.isEmpty() && !settings) refusal = tr("The graph's document does not list this group");
    title_->setText(tr("Process group %1").arg(shownName(group_)));
    told_->setText(refusal.isEmpty() ? tr("How its communicator and stream are set up in a run, and in a job where the "
                                          "plan's passes create the group")
                                     : refusal);
    for (QWidget* field : std::array<QWidget*, 4>{high_priority_, least_, most_, cluster_})
        field->setEnabled(refusal.isEmpty());
    reset_->setEnabled(commands_.given(group_));
    showValues(settings.value_or(GroupSettings()));
}

void GroupSettingsPopup::showValues(const GroupSettings& settings) {
    high_priority_->setChecked(settings.high_priority.value_or(false));
    showValue(*least_, settings.min_ctas);
    showValue(*most_, settings.max_ctas);
    showValue(*cluster_, settings.cga_cluster_size);
}

void GroupSettingsPopup::edit(QSpinBox& changed) {
    GroupSettings settings = entered();
    // At least is at most as much as at most: the one that was not touched follows.
    if (settings.min_ctas && settings.max_ctas && *settings.min_ctas > *settings.max_ctas)
        (&changed == most_ ? settings.min_ctas : settings.max_ctas) = changed.value();
    commands_.set(settings, QStringLiteral("group settings %1 %2").arg(changed.accessibleName(), group_));
}

GroupSettings GroupSettingsPopup::entered() const {
    GroupSettings settings;
    settings.group = group_.toStdString();
    settings.high_priority = high_priority_->isChecked();
    settings.min_ctas = valueOf(*least_);
    settings.max_ctas = valueOf(*most_);
    settings.cga_cluster_size = valueOf(*cluster_);
    return settings;
}

}  // namespace overlap::ui
