#include "ui/groups/group_settings_popup.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

#include "core/plan/process_groups_field.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/popup_place.h"

namespace overlap::ui {
namespace {

constexpr int text_width = 300;

/// NCCL's policies by their names, chosen by the arrows.
class PolicyField : public QSpinBox {
  public:
    PolicyField() { lineEdit()->setReadOnly(true); }

  protected:
    QString textFromValue(int value) const override {
        const QStringList names{GroupSettingsPopup::tr("NCCL's own"), GroupSettingsPopup::tr("efficiency"),
                                GroupSettingsPopup::tr("zero CTAs")};
        return names.value(value);
    }
};

/// A whole number, or NCCL's default, which is one below the lowest.
QSpinBox* makeField(const GroupNumber& number) {
    auto* field = number.value == &GroupSettings::cta_policy ? new PolicyField : new QSpinBox;
    field->setRange(number.least - 1, number.most);
    field->setSpecialValueText(GroupSettingsPopup::tr("default"));
    field->setKeyboardTracking(false);  // "16" is one edit, and not one for "1" before it
    const QString name = QString::fromUtf8(number.name), meaning = QString::fromUtf8(number.meaning);
    field->setAccessibleName(name);
    field->setToolTip(QStringLiteral("%1: %2").arg(name, meaning));
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
      reset_(new QToolButton) {
    for (const GroupNumber& number : group_numbers()) fields_.push_back(makeField(number));
    setObjectName("groupSettings");
    setAccessibleName(tr("Settings of a process group"));
    title_->setTextFormat(Qt::PlainText);
    told_->setTextFormat(Qt::PlainText);
    told_->setProperty("role", "dim");
    told_->setWordWrap(true);
    told_->setFixedWidth(text_width);
    high_priority_->setAccessibleName(tr("High priority"));
    high_priority_->setToolTip(tr("is_high_priority_stream: the group's stream goes before others"));
    reset_->setText(tr("Reset"));
    reset_->setToolTip(tr("Take what the plan asks of this group out of it"));
    reset_->setFocusPolicy(Qt::StrongFocus);
    layOut();
    connect(high_priority_, &QCheckBox::clicked, this, [this] { commands_.set(entered()); });
    for (QSpinBox* field : fields_) connect(field, &QSpinBox::valueChanged, this, [this, field] { edit(*field); });
    connect(reset_, &QToolButton::clicked, this, [this] { commands_.reset(group_); });
    connect(&document, &Document::planChanged, this, &GroupSettingsPopup::refresh);
    connect(&document, &Document::evaluationChanged, this, &GroupSettingsPopup::refresh);
    whenReadingChanges(document, this, [this] { refresh(); });
    refresh();
}

void GroupSettingsPopup::layOut() {
    auto* blocks = new QHBoxLayout;
    blocks->setSpacing(8);
    blocks->addWidget(&field("min_ctas"), 1);
    blocks->addWidget(new QLabel(tr("to")));
    blocks->addWidget(&field("max_ctas"), 1);
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(14, 12, 14, 12);
    layout->setHorizontalSpacing(12);
    layout->setVerticalSpacing(8);
    layout->addRow(title_);
    layout->addRow(told_);
    layout->addRow(tr("Stream"), high_priority_);
    layout->addRow(tr("Thread blocks (CTAs)"), blocks);
    layout->addRow(tr("Cluster size"), &field("cga_cluster_size"));
    layout->addRow(tr("CTAs of NVLink SHARP"), &field("nvls_ctas"));
    layout->addRow(tr("CTA policy"), &field("cta_policy"));
    layout->addRow(tr("Traffic class"), &field("traffic_class"));
    layout->addRow(QString(), reset_);
}

QSpinBox& GroupSettingsPopup::field(std::string_view number) {
    const auto found = std::ranges::find(group_numbers(), number, &GroupNumber::name);
    return *fields_[static_cast<std::size_t>(found - group_numbers().begin())];
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
    setAvailable(*high_priority_, refusal);
    for (QSpinBox* field : fields_) setAvailable(*field, refusal);
    setAvailable(*reset_, commands_.given(group_) ? QString() : tr("The plan says nothing of this group"));
    showValues(settings.value_or(GroupSettings()));
}

void GroupSettingsPopup::showValues(const GroupSettings& settings) {
    high_priority_->setChecked(settings.high_priority.value_or(false));
    for (std::size_t index = 0; index < fields_.size(); ++index)
        showValue(*fields_[index], settings.*group_numbers()[index].value);
}

void GroupSettingsPopup::edit(QSpinBox& changed) {
    GroupSettings settings = entered();
    // At least is at most as much as at most: the one that was not touched follows.
    if (settings.min_ctas && settings.max_ctas && *settings.min_ctas > *settings.max_ctas)
        (&changed == &field("max_ctas") ? settings.min_ctas : settings.max_ctas) = changed.value();
    commands_.set(settings, QStringLiteral("group settings %1 %2").arg(changed.accessibleName(), group_));
}

GroupSettings GroupSettingsPopup::entered() const {
    GroupSettings settings;
    settings.group = group_.toStdString();
    settings.high_priority = high_priority_->isChecked();
    for (std::size_t index = 0; index < fields_.size(); ++index)
        settings.*group_numbers()[index].value = valueOf(*fields_[index]);
    return settings;
}

}  // namespace overlap::ui
