#include "ui/search/lock_button.h"

#include <algorithm>

#include "ui/search/tick_menu.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

/// A part's name as a text of a menu, in which & would underline a letter.
QString menuText(const std::string& name) {
    return shownName(QString::fromStdString(name)).replace(u'&', QStringLiteral("&&"));
}

QString sentence(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

}  // namespace

LockButton::LockButton(QWidget* parent) : QToolButton(parent), menu_(new TickMenu(this)) {
    setObjectName("keepParts");
    setPopupMode(QToolButton::InstantPopup);
    setMenu(menu_);
    setToolTip(
        tr("Parts of this plan that every plan that is found has as they are: cards, overlaps by hand, passes, "
           "memory. The search then starts from this plan"));
    connect(menu_, &QMenu::aboutToShow, this, &LockButton::fill);
    showCount();
}

std::vector<LockButton::Part> LockButton::partsOf(const Plan& plan) {
    std::vector<Part> parts;
    const auto add = [&parts](PlanLocks locks) {
        const std::string name = describe(locks).front();
        // A pass that runs twice is one part.
        if (std::ranges::find(parts, name, &Part::name) == parts.end()) parts.push_back({name, std::move(locks)});
    };
    for (const BucketEntry& entry : plan.buckets) add({.buckets = {entry}});
    for (const OverlapDirective& directive : plan.overlaps.list) add({.overlaps = {directive}});
    for (const PassStep& step : plan.pipeline) add({.passes = {step.pass}});
    add({.pipeline = true});
    add({.memory = true});
    return parts;
}

void LockButton::setPlan(const Plan& plan) {
    parts_ = partsOf(plan);
    showCount();
}

PlanLocks LockButton::locks() const {
    PlanLocks locks;
    for (const auto& [name, part] : parts_) {
        if (!chosen_.contains(name)) continue;
        locks.buckets.insert(locks.buckets.end(), part.buckets.begin(), part.buckets.end());
        locks.overlaps.insert(locks.overlaps.end(), part.overlaps.begin(), part.overlaps.end());
        locks.passes.insert(locks.passes.end(), part.passes.begin(), part.passes.end());
        locks.pipeline = locks.pipeline || part.pipeline;
        locks.memory = locks.memory || part.memory;
    }
    return locks;
}

void LockButton::lock(const std::string& part, bool locked) {
    if (locked) chosen_.insert(part);
    if (!locked) chosen_.erase(part);
    showCount();
    emit changed();
}

void LockButton::setChosen(std::set<std::string> chosen) {
    if (chosen == chosen_) return;
    chosen_ = std::move(chosen);
    showCount();
    emit changed();
}

void LockButton::showCount() {
    const auto count = std::ranges::count_if(parts_, [this](const Part& part) { return chosen_.contains(part.name); });
    setText(count == 0 ? tr("Keep…") : tr("Keep %1…").arg(count));
    setAccessibleName(count == 0 ? tr("Parts of this plan to keep: none")
                                 : tr("Parts of this plan to keep: %1").arg(count));
}

/// One item for each part, and above several of one kind one for all of them.
void LockButton::addParts(QMenu& menu, std::size_t first, std::size_t last) {
    std::vector<QAction*> items;
    QAction* const all = last - first > 1 ? menu.addAction(tr("All of them")) : nullptr;
    for (std::size_t index = first; index < last; ++index) {
        const std::string& name = parts_[index].name;
        QAction* const item = menu.addAction(menuText(name));
        item->setCheckable(true);
        item->setChecked(chosen_.contains(name));
        connect(item, &QAction::toggled, this, [this, name](bool on) { lock(name, on); });
        items.push_back(item);
    }
    if (!all) return;
    menu.insertSeparator(items.front());
    all->setCheckable(true);
    all->setChecked(std::ranges::all_of(items, &QAction::isChecked));
    connect(all, &QAction::triggered, this, [items](bool on) {
        for (QAction* const item : items) item->setChecked(on);
    });
}

void LockButton::fill() {
    menu_->clear();
    qDeleteAll(menu_->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
    const auto kind = [this](std::size_t index) {
        const PlanLocks& part = parts_[index].locks;
        return !part.buckets.empty() ? 0 : !part.overlaps.empty() ? 1 : !part.passes.empty() ? 2 : 3;
    };
    const QStringList titles{tr("Buckets"), tr("Overlaps by hand"), tr("Passes")};
    for (std::size_t first = 0; first < parts_.size();) {
        std::size_t last = first + 1;
        while (last < parts_.size() && kind(last) == kind(first)) ++last;
        if (kind(first) < titles.size()) {
            auto* const menu = new TickMenu(titles[kind(first)], menu_);
            menu_->addMenu(menu);
            addParts(*menu, first, last);
        } else {
            for (std::size_t index = first; index < last; ++index) {
                addParts(*menu_, index, index + 1);
                QAction* const item = menu_->actions().back();
                item->setText(sentence(item->text()));
            }
        }
        first = last;
    }
}

}  // namespace overlap::ui
