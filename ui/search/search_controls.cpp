#include "ui/search/search_controls.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QStandardItemModel>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/memory/device_memory.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/document/limit_names.h"
#include "ui/search/lock_button.h"
#include "ui/search/tick_menu.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_box.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {

namespace {

constexpr int narrowest_box = 84, narrowest_text = 44;

}  // namespace

SearchControls::SearchControls(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      limit_(new ElidedBox),
      effort_(new ElidedBox),
      other_limit_(new LimitField),
      graph_(document.isOpen() ? document.loaded().path : QString()),
      from_current_(new QCheckBox(tr("Start from this plan"))),
      options_(new QToolButton),
      any_order_(new QAction(tr("Compute in any order"), this)),
      separate_links_(new QAction(tr("Each process group has a link of its own"), this)),
      locks_(new LockButton),
      least_shown_(new ElidedLabel) {
    for (const QString& text : {tr("Any peak"), tr("Peak of the baseline"), tr("Peak of this plan"),
                                tr("What the device holds"), tr("Peak of at most…")})
        limit_->addItem(text);
    limit_->setAccessibleName(tr("Limit of the peak"));
    limit_->view()->setAccessibleName(limit_->accessibleName());
    limit_->setToolTip(
        tr("What the memory that the step holds may be at most: the limit of Memory and of the timeline"));
    other_limit_->setNames([this] { return limitNames(document_); });
    other_limit_->setAffixes({}, tr(" GiB"));
    other_limit_->setPlaceholderText(tr("no limit, or baseline + 6"), tr("no limit"));
    other_limit_->setAccessibleName(tr("Most memory"));
    other_limit_->setToolTip(
        tr("What the step may hold at most; at first what the device holds, where the cost model says it. Empty is no "
           "limit. A sum will do, too: baseline + 6, baseline + 10 %, device - 2 GiB"));
    other_limit_->hide();
    connect(limit_, &QComboBox::currentIndexChanged, this, &SearchControls::takeChoice);
    connect(limit_, &QComboBox::activated, this, [this](int index) {
        // A number is typed next; the list gives the focus back when it has closed.
        if (index == static_cast<int>(Limit::other))
            QTimer::singleShot(0, other_limit_, [this] { other_limit_->setFocus(); });
    });
    connect(other_limit_, &QDoubleSpinBox::valueChanged, this, [this] {
        given_limit_ = other_limit_->bytes();
        until_typed_ = 0;
        emit changed();
    });
    connect(other_limit_, &QDoubleSpinBox::editingFinished, this, &SearchControls::leaveEmptyField);
    connect(other_limit_, &LimitField::refused, this, &SearchControls::refused);
    connect(locks_, &LockButton::changed, this, &SearchControls::update);
    connect(locks_, &LockButton::changed, this, &SearchControls::keptChanged);
    connect(from_current_, &QCheckBox::toggled, this, &SearchControls::keptChanged);
    connect(&document, &Document::graphChanged, this, &SearchControls::takeGraph);
    for (const auto signal : {&Document::graphChanged, &Document::timesChanged})
        connect(&document, signal, &least_, &LeastPeakFinder::forget);
    effort_->addItem(tr("Quick: 300 plans"), 300);
    effort_->addItem(tr("Normal: 1500 plans"), 1500);
    effort_->addItem(tr("Thorough: 6000 plans"), 6000);
    effort_->setCurrentIndex(normal_effort);
    effort_->setAccessibleName(tr("Effort"));
    effort_->view()->setAccessibleName(effort_->accessibleName());
    effort_->setToolTip(
        tr("How many plans are evaluated at most to find one; shortening it takes up to a sixth more, and what its "
           "parts are worth one for each. The result depends on it, and not on the time taken"));
    from_current_->setAccessibleName(from_current_->text());
    from_current_->setToolTip(tr("Also change this plan, beside presets, the automatic pass and buckets of blocks"));
    makeOptions();
    for (const auto signal : {&SearchControls::changed, &SearchControls::limitToBeTyped})
        connect(this, signal, this, &SearchControls::keptChanged);
    connect(effort_, &QComboBox::currentIndexChanged, this, &SearchControls::keptChanged);
    for (const auto signal : {&SearchControls::changed, &SearchControls::limitToBeTyped})
        connect(this, signal, this, &SearchControls::judgeLimit);
    connect(any_order_, &QAction::toggled, this, &SearchControls::judgeLimit);
    connect(&least_, &LeastPeakFinder::found, this, &SearchControls::judgeLimit);
    least_shown_->setObjectName("leastPeak");
    least_shown_->setProperty("role", "caution");
    // In a narrow window it is cut before the window grows; its tool tip has all.
    least_shown_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    least_shown_->setMinimumWidth(narrowest_text);
    least_shown_->hide();
    for (QAction* action : {any_order_, separate_links_})
        connect(action, &QAction::toggled, this, &SearchControls::keptChanged);
    // In a narrow window they show the beginning of their texts.
    for (QComboBox* box : {limit_, effort_}) box->setMinimumWidth(narrowest_box);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    for (QWidget* control :
         std::initializer_list<QWidget*>{limit_, other_limit_, least_shown_, effort_, from_current_, locks_, options_})
        layout->addWidget(control);
}

/// A limit that is to be typed stays what it was while its field is empty: nobody has said that any peak will do.
void SearchControls::takeChoice(int index) {
    const bool other = index == static_cast<int>(Limit::other);
    const std::int64_t before = document_.isOpen() ? bytesOf(chosen_limit_) : 0;
    showChoice(index);
    showOtherLimit();
    if (other && other_limit_->value() == 0) until_typed_ = before;
    other ? emit limitToBeTyped() : emit changed();
}

void SearchControls::leaveEmptyField() {
    if (std::exchange(until_typed_, 0) > 0) emit changed();
}

void SearchControls::showChoice(int index) {
    const QSignalBlocker quiet(limit_);
    limit_->setCurrentIndex(index);
    chosen_limit_ = index;
    until_typed_ = 0;
    other_limit_->setVisible(index == static_cast<int>(Limit::other));
}

/// What one graph may hold at most, and how long it takes to evaluate its plans, says nothing of another one.
void SearchControls::takeGraph() {
    const QString graph = document_.isOpen() ? document_.loaded().path : QString();
    if (graph == graph_) return;
    choices_.insert(graph_, choice());
    graph_ = graph;
    take(choices_.value(graph));
}

SearchControls::Choice SearchControls::choice() const {
    const QString typed = given_limit_ ? other_limit_->typed() : QString();
    return {limit_->currentIndex(),
            given_limit_,
            typed,
            typed.isEmpty() ? 0 : other_limit_->value(),
            effort_->currentIndex(),
            any_order_->isChecked(),
            separate_links_->isChecked(),
            from_current_->isChecked(),
            locks_->chosen()};
}

void SearchControls::take(const Choice& choice) {
    showChoice(choice.limit);
    given_limit_ = choice.given;
    if (!choice.typed.isEmpty()) {
        const QSignalBlocker quiet_limit(other_limit_);
        other_limit_->restore(choice.typed, choice.typed_gib);
    }
    showOtherLimit();
    effort_->setCurrentIndex(choice.effort);
    any_order_->setChecked(choice.any_order);
    separate_links_->setChecked(choice.separate_links);
    from_current_->setChecked(choice.from_current);
    locks_->setChosen(choice.locks);
}

QJsonObject SearchControls::kept() const {
    const Choice now = choice();
    if (now == Choice()) return {};
    QJsonObject kept{{"limit", now.limit},
                     {"plans", static_cast<qint64>(plans())},
                     {"any_order", now.any_order},
                     {"separate_links", now.separate_links},
                     {"from_current", now.from_current}};
    QJsonArray locks;
    for (const std::string& part : now.locks) locks.append(QString::fromStdString(part));
    if (!locks.isEmpty()) kept["locks"] = locks;
    if (now.given) kept["given_bytes"] = QString::number(*now.given);
    if (!now.typed.isEmpty()) kept["given_typed"] = QJsonObject{{"text", now.typed}, {"gib", now.typed_gib}};
    return kept;
}

void SearchControls::restore(const QJsonObject& kept) {
    if (kept.isEmpty()) return;
    Choice choice;
    choice.limit = std::clamp(kept["limit"].toInt(), 0, limit_->count() - 1);
    if (kept.contains("given_bytes")) choice.given = kept["given_bytes"].toString().toLongLong();
    const QJsonObject typed = kept["given_typed"].toObject();
    choice.typed = typed["text"].toString();
    choice.typed_gib = typed["gib"].toDouble();
    if (const int effort = effort_->findData(kept["plans"].toInt()); effort >= 0) choice.effort = effort;
    choice.any_order = kept["any_order"].toBool();
    choice.separate_links = kept["separate_links"].toBool();
    choice.from_current = kept["from_current"].toBool();
    for (const QJsonValue part : kept["locks"].toArray()) choice.locks.insert(part.toString().toStdString());
    take(choice);
    emit changed();
}

void SearchControls::makeOptions() {
    any_order_->setToolTip(
        tr("Plans may change the order of heavy compute, such as a collective with what it needs before products that "
           "nothing waits for. They are compared with the bound for any order (overlap search --any-order)"));
    separate_links_->setToolTip(
        tr("Process groups do not share a GPU's network card between hosts, nor its link within one, unless the cost "
           "model says so. A job with one card a GPU does not reach such steps (overlap search --separate-links)"));
    auto* menu = new TickMenu(options_);
    menu->setToolTipsVisible(true);
    for (QAction* action : {any_order_, separate_links_}) {
        action->setCheckable(true);
        menu->addAction(action);
        connect(action, &QAction::toggled, this, &SearchControls::showOptions);
    }
    options_->setObjectName("searchOptions");
    options_->setPopupMode(QToolButton::InstantPopup);
    options_->setMenu(menu);
    options_->setToolTip(tr("The order of compute, and links that process groups go over"));
    showOptions();
}

void SearchControls::showOptions() {
    QStringList chosen;
    if (any_order_->isChecked()) chosen.append(tr("any order"));
    if (separate_links_->isChecked()) chosen.append(tr("separate links"));
    options_->setText(chosen.isEmpty() ? tr("Options") : tr("Options: %1").arg(chosen.join(QStringLiteral(", "))));
    options_->setAccessibleName(chosen.isEmpty() ? tr("Options of the search: none") : options_->text());
}

LinkSharing SearchControls::links() const {
    return separate_links_->isChecked() ? LinkSharing::by_group : LinkSharing::by_host;
}

std::int64_t SearchControls::bytesOf(int limit) const {
    switch (static_cast<Limit>(limit)) {
        case Limit::none:
            return 0;
        case Limit::baseline:
            return document_.baseline().corrected_memory.peak_bytes;
        case Limit::current:
            if (const auto evaluation = document_.evaluation()) return evaluation->corrected_memory.peak_bytes;
            return 0;
        case Limit::device:
            return device_memory_bytes(*document_.graph());
        case Limit::other:
            break;
    }
    return given_limit_.value_or(device_memory_bytes(*document_.graph()));
}

std::optional<std::int64_t> SearchControls::limitBytes() const {
    const std::int64_t bytes = until_typed_ > 0 ? until_typed_ : bytesOf(limit_->currentIndex());
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

QString SearchControls::limitInWords() const {
    const std::optional<std::int64_t> limit = limitBytes();
    if (!limit) return tr("any peak");
    const QString bytes = formatBytes(static_cast<double>(*limit));
    switch (static_cast<Limit>(limit_->currentIndex())) {
        case Limit::baseline:
            return tr("the peak of the baseline, %1").arg(bytes);
        case Limit::current:
            return tr("the peak of this plan, %1").arg(bytes);
        case Limit::device:
            return tr("what the device holds, %1").arg(bytes);
        default:
            return bytes;
    }
}

void SearchControls::showOtherLimit() {
    const QSignalBlocker quiet(other_limit_);
    const std::int64_t bytes = given_limit_         ? *given_limit_
                               : document_.isOpen() ? device_memory_bytes(*document_.graph())
                                                    : 0;
    const double gib = limitGib(bytes);
    constexpr double rounding = 1e-10;
    // What was typed stays as it was typed.
    if (std::abs(other_limit_->value() - gib) <= rounding || other_limit_->bytes() == bytes) return;
    other_limit_->setValue(gib);
    other_limit_->updateGeometry();  // its signals, which do so, are blocked
}

std::size_t SearchControls::plans() const {
    return effort_->currentData().toULongLong();
}

bool SearchControls::startsFromCurrent() const {
    return canStartFromCurrent() && (from_current_->isChecked() || !locks().empty());
}

PlanLocks SearchControls::locks() const {
    return canStartFromCurrent() ? locks_->locks() : PlanLocks();
}

bool SearchControls::limitIsKnown() const {
    const int limit = limit_->currentIndex();
    const bool has_number = limit == static_cast<int>(Limit::none) || limit == static_cast<int>(Limit::other);
    return document_.isOpen() && (has_number || bytesOf(limit) > 0);
}

void SearchControls::setLimit(std::optional<std::int64_t> bytes) {
    showChoice(static_cast<int>(bytes ? Limit::other : Limit::none));
    if (bytes) given_limit_ = bytes;
    showOtherLimit();
    emit changed();
}

void SearchControls::takeLimit(const QString& typed, double gib) {
    if (gib <= 0) return setLimit(std::nullopt);
    {
        const QSignalBlocker quiet(other_limit_);
        other_limit_->restore(typed, gib);
    }
    setLimit(other_limit_->bytes());
}

bool SearchControls::canStartFromCurrent() const {
    const auto evaluation = document_.evaluation();
    return document_.editable() && evaluation && !evaluation->refused;
}

QString SearchControls::obstacle() const {
    return limit_->currentIndex() == static_cast<int>(Limit::device) ? deviceObstacle() : QString();
}

/// Why what the device holds is no limit; empty where it is one.
QString SearchControls::deviceObstacle() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    return device_memory_bytes(*document_.graph()) == 0
               ? tr("The graph's cost model does not say what the device holds")
               : QString();
}

/// Says beside the limit what every plan takes, where that is more.
void SearchControls::judgeLimit() {
    const auto evaluation = document_.isOpen() ? document_.evaluation() : nullptr;
    const bool can_be_asked = evaluation && evaluation->times_known && obstacle().isEmpty();
    const std::optional<std::int64_t> limit = can_be_asked ? limitBytes() : std::nullopt;
    // Where any peak will do, nobody waits for it.
    const std::optional<LeastPeak> least =
        limit ? least_.of(document_.graph(), evaluation->time_source, any_order_->isChecked()) : std::nullopt;
    const auto bytes = [](std::int64_t count) { return formatBytes(static_cast<double>(count)); };
    QString sentence;
    if (least && *limit < least->bytes) {
        sentence =
            least->node.isEmpty()
                ? tr("No plan can stay within %1: %2 must be alive at once").arg(bytes(*limit), bytes(least->bytes))
                : tr("No plan can stay within %1: %2 must be alive while the node %3 runs")
                      .arg(bytes(*limit), bytes(least->bytes), shownName(least->node));
        least_shown_->setText(tr("≥ %1").arg(bytes(least->bytes)));
    }
    least_shown_->setToolTip(sentence);
    least_shown_->setAccessibleName(sentence);
    least_shown_->setHidden(sentence.isEmpty());
    if (std::exchange(impossible_, sentence) != sentence) emit judged();
}

/// A choice that leads nowhere is not offered, and says why.
void SearchControls::offerDevice() {
    constexpr int device = static_cast<int>(Limit::device);
    const QString obstacle = deviceObstacle();
    auto* item = static_cast<QStandardItemModel*>(limit_->model())->item(device);
    item->setEnabled(obstacle.isEmpty());
    item->setToolTip(obstacle);
}

void SearchControls::update() {
    offerDevice();
    showOtherLimit();  // the device may be another one
    other_limit_->namesChanged();
    judgeLimit();
    const QString refusal = canStartFromCurrent() ? QString()
                            : document_.isOpen()
                                ? tr("The baseline, and a plan that is refused, are no plans to start from")
                                : noGraphOpen(document_);
    locks_->setPlan(refusal.isEmpty() ? document_.current()->plan() : Plan());
    setAvailable(*locks_, refusal);
    setAvailable(*from_current_,
                 refusal.isEmpty() && !locks().empty() ? tr("It does: what is kept is kept of this plan") : refusal);
}

}  // namespace overlap::ui
