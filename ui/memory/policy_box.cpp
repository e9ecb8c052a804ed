#include "ui/memory/policy_box.h"

#include <QAbstractItemView>
#include <QStylePainter>

#include "core/passes/registry/registry.h"
#include "core/plan/memory_section.h"

namespace overlap::ui {
namespace {

constexpr int shown_letters = 14;
const QString no_policy = QStringLiteral("none");

/// What each policy of tag_with_memory_policy_pass keeps from forward to backward.
QString explanation(const QString& policy) {
    if (policy == QStringLiteral("default"))
        return PolicyBox::tr("saves what products, attention and collectives return, computes the rest again");
    if (policy == QStringLiteral("full")) return PolicyBox::tr("saves the ends of layers, computes all else again");
    if (policy == QStringLiteral("eager"))
        return PolicyBox::tr("as default, but computes every second product of a layer again");
    if (policy == QStringLiteral("sac_and_offload"))
        return PolicyBox::tr("as default, with the largest that is saved on the host");
    return {};
}

}  // namespace

PolicyBox::PolicyBox(QWidget* parent) : QComboBox(parent) {
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(shown_letters);
    // Chosen where a plan has no policy: its graph is left as it is.
    addItem(tr("none: leaves what is kept as the graph has it"), no_policy);
    QStringList lines;
    for (const PassOption& option : require_pass(memory_tag_pass).options()) {
        if (option.name != "memory_policy") continue;
        for (const std::string& choice : option.choices) {
            const QString policy = QString::fromStdString(choice);
            addItem(policy + QStringLiteral(": ") + explanation(policy), policy);
            lines.append(itemText(count() - 1));
        }
    }
    setAccessibleName(tr("Memory policy"));
    view()->setAccessibleName(accessibleName());
    setToolTip(tr("What is kept from forward to backward where no rule says otherwise\n") +
               lines.join(QLatin1Char('\n')));
    connect(this, &QComboBox::activated, this,
            [this] { emit policyChosen(policy() == no_policy ? QString() : policy()); });
}

void PolicyBox::setPolicy(const QString& policy) {
    setCurrentIndex(findData(policy.isEmpty() ? no_policy : policy));
}

/// Closed, the name is enough.
void PolicyBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = policy();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void PolicyBox::showPopup() {
    view()->setMinimumWidth(view()->sizeHintForColumn(0) + 2 * view()->frameWidth());
    QComboBox::showPopup();
}

}  // namespace overlap::ui
