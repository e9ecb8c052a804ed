#include "ui/measure/compared_sides.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QJsonArray>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "ui/document/document.h"
#include "ui/measure/measurements.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int box_width = 150;

}  // namespace

ComparedSides::ComparedSides(Document& document, Measurements& measurements, QObject* parent)
    : QObject(parent), document_(document), measurements_(measurements), before_(new QComboBox), after_(new QComboBox) {
    before_->setAccessibleName(tr("First step"));
    after_->setAccessibleName(tr("Second step"));
    for (QComboBox* box : {before_, after_}) {
        box->view()->setAccessibleName(box->accessibleName());
        box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        box->setMinimumWidth(box_width / 2);
        box->setMaximumWidth(box_width * 2);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        connect(box, &QComboBox::currentIndexChanged, this, &ComparedSides::setChosen);
    }
    connect(&document, &Document::graphChanged, this, &ComparedSides::forget);
    connect(&document, &Document::variantsChanged, this, &ComparedSides::fillSides);
    connect(&document, &Document::currentChanged, this, &ComparedSides::followShown);
    connect(&measurements, &Measurements::changed, this, &ComparedSides::fillSides);
    connect(&measurements, &Measurements::opened, this,
            [this](const std::shared_ptr<const Measurement>&, bool is_shown) { followOpened(is_shown); });
    fillSides();
    followShown();
}

void ComparedSides::forget() {
    {
        const QSignalBlocker quiet_before(before_), quiet_after(after_);
        before_->clear();
        after_->clear();
    }
    chosen_ = false;
    restored_ = {};
    shown_ = shown_before_ = {};
    followShown();
}

void ComparedSides::fillSides() {
    const bool has_before = fill(*before_, false), has_after = fill(*after_, true);
    if (!has_before || !has_after) chosen_ = false;
    takeRestored();
    if (!chosen_) chooseSides();
    emit changed();
}

bool ComparedSides::fill(QComboBox& box, bool with_measurements) {
    const QSignalBlocker quiet(&box);
    const QVariant chosen = box.currentData();
    box.clear();
    for (int i = 0; i < document_.variantCount(); ++i)
        box.addItem(shownName(document_.variant(i).title()), document_.variant(i).key());
    for (int i = 0; with_measurements && i < measurements_.count(); ++i)
        box.addItem(shownName(measurements_.at(i)->title), measurements_.at(i)->files);
    const int place = box.findData(chosen);
    box.setCurrentIndex(std::max(0, place));
    return place >= 0;
}

void ComparedSides::followShown() {
    const Variant* current = document_.current();
    const std::optional<quint64> now = current ? std::optional(current->key()) : std::nullopt;
    if (now == shown_) return;
    shown_before_ = std::exchange(shown_, now);
    if (chosen_) return;
    chooseSides();
    emit changed();
}

/// One that the session brings back is not what the user asks for now.
void ComparedSides::followOpened(bool is_shown) {
    if (!is_shown) return;
    chosen_ = false;
    restored_ = {};
    chooseSides();
    emit changed();
    emit choiceChanged();
}

void ComparedSides::chooseSides() {
    const QSignalBlocker quiet_before(before_), quiet_after(after_);
    const int current = document_.currentIndex();
    if (measurements_.count() > 0) {
        before_->setCurrentIndex(current);
        after_->setCurrentIndex(after_->count() - 1);
        return;
    }
    int other = shown_before_ ? std::max(0, document_.indexOf(*shown_before_)) : 0;
    // A plan that does nothing yet is the baseline by another name.
    if (other > 0 && does_the_same(document_.variant(other).plan(), document_.loaded().empty_plan)) other = 0;
    // The baseline stands before whatever it is compared with.
    const bool of_baseline = current <= 0;
    const int plan = std::min(std::max(of_baseline ? other : current, 1), document_.variantCount() - 1);
    before_->setCurrentIndex(of_baseline || other == plan ? 0 : other);
    after_->setCurrentIndex(plan);
}

std::shared_ptr<const Measurement> ComparedSides::measurement(const QComboBox& box) const {
    const int measured = box.currentIndex() - document_.variantCount();
    return measured >= 0 && measured < measurements_.count() ? measurements_.at(measured) : nullptr;
}

void ComparedSides::choosePlans(int before, int after) {
    {
        const QSignalBlocker quiet_before(before_), quiet_after(after_);
        before_->setCurrentIndex(before);
        after_->setCurrentIndex(after);
    }
    setChosen();
}

void ComparedSides::setChosen() {
    chosen_ = true;
    restored_ = {};
    emit changed();
    emit choiceChanged();
}

/// Plans by their places and titles: of those that the session keeps, not all may come back.
QJsonObject ComparedSides::sideToKeep(const QComboBox& box) const {
    if (const auto measured = measurement(box)) return {{"files", QJsonArray::fromStringList(measured->files)}};
    const int plan = std::clamp(box.currentIndex(), 0, document_.variantCount() - 1);
    return {{"plan", plan}, {"title", document_.variant(plan).title()}};
}

int ComparedSides::placeOf(const QJsonObject& side, const QComboBox& box) const {
    if (side.contains(u"files")) return box.findData(side["files"].toVariant().toStringList());
    const QString title = side["title"].toString();
    const int place = side["plan"].toInt(-1), count = document_.variantCount();
    if (place >= 0 && place < count && document_.variant(place).title() == title) return place;
    for (int plan = 0; plan < count; ++plan)
        if (document_.variant(plan).title() == title) return plan;
    return -1;
}

QJsonObject ComparedSides::choice() const {
    if (!restored_.isEmpty()) return restored_;
    if (!chosen_ || !document_.isOpen()) return {};
    return {{"before", sideToKeep(*before_)}, {"after", sideToKeep(*after_)}};
}

void ComparedSides::restoreChoice(const QJsonObject& choice) {
    restored_ = choice;
    fillSides();
}

void ComparedSides::takeRestored() {
    if (restored_.isEmpty()) return;
    const int before = placeOf(restored_["before"].toObject(), *before_);
    const int after = placeOf(restored_["after"].toObject(), *after_);
    if (before < 0 || after < 0) return;
    const QSignalBlocker quiet_before(before_), quiet_after(after_);
    before_->setCurrentIndex(before);
    after_->setCurrentIndex(after);
    chosen_ = true;
    restored_ = {};
}

}  // namespace overlap::ui
