#include "ui/search/search_panel.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <algorithm>
#include <utility>

#include "core/memory/device_memory.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/search/earlier_searches.h"
#include "ui/search/front_area.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/search/parts_table.h"
#include "ui/search/result_area.h"
#include "ui/search/search_controls.h"
#include "ui/search/start_now.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/panel_layout.h"

namespace overlap::ui {
namespace {

constexpr int first_chart_width = 240;

/// As wide with either of its texts: the controls behind it do not move when a search begins or ends. Enter is a click,
/// as in a dialog.
class FindButton : public QPushButton {
  public:
    static QString findText() { return SearchPanel::tr("Find a better plan"); }
    static QString stopText() { return SearchPanel::tr("Stop, keep the best"); }

    QSize sizeHint() const override {
        const auto width = [this](const QString& text) { return fontMetrics().horizontalAdvance(text); };
        const int widest = std::max(width(findText()), width(stopText()));
        return QPushButton::sizeHint() + QSize(widest - width(text()), 0);
    }

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
        QPushButton::keyPressEvent(event);
    }
};

const QString limit_link = QStringLiteral("limit:");  ///< before a number of SearchControls::Limit

}  // namespace

SearchPanel::SearchPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      controls_(new SearchControls(document)),
      find_(new FindButton),
      open_(new QPushButton(tr("Open as plan"))),
      compare_(new QPushButton(tr("Compare"))),
      caption_(new QLabel),
      result_(new QLabel),
      end_(new QLabel),
      chart_(new FrontChart(tr("Each point is a plan that was evaluated; a click chooses it"))),
      slider_(new LimitSlider(*chart_)),
      front_(new FrontArea(*chart_, *slider_)),
      earlier_(new EarlierSearches),
      table_(new PartsTable) {
    setObjectName("search");
    setAccessibleName(tr("Search"));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(front_);
    split->addWidget(makeResult());
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 2);  // sentences and the table beside them, where there is little height
    split->setSizes({first_chart_width, 2 * first_chart_width});
    layOutPanel(this, makeBar(), split);
    chart_->setShapesText(tr("found"), tr("compared with"));
    setFocusProxy(find_);
    split->setFocusPolicy(Qt::NoFocus);
    chart_->setObjectName("frontChart");
    chart_->setAccessibleName(tr("Step against peak memory of the plans that were found"));
    connect(chart_, &StepPeakChart::chosen, this, &SearchPanel::choose);
    connect(chart_, &FrontChart::limitDragged, slider_, &LimitSlider::drag);
    connect(slider_, &LimitSlider::limitChosen, controls_, &SearchControls::setLimit);
    connect(&task_, &PlanSearchTask::progressed, this, &SearchPanel::showProgress);
    keep_.setSingleShot(true);
    connect(&keep_, &QTimer::timeout, this, &SearchPanel::keptChanged);
    connect(&task_, &PlanSearchTask::found, this,
            [this](const std::shared_ptr<const FoundPlans>& found) { takeFound(*found); });
    connect(earlier_, &EarlierSearches::chosen, this, &SearchPanel::showEarlier);
    connect(&check_, &StartCheck::checked, this, &SearchPanel::takeStart);
    connect(controls_, &SearchControls::keptChanged, this, &SearchPanel::keptChanged);
    connect(controls_, &SearchControls::refused, this, &SearchPanel::refused);
    connect(&task_, &PlanSearchTask::failed, this, [this](const QString& reason) {
        tried_limit_ = searched_limit_;
        running_.reset();
        const bool former = former_.found.has_value();
        if (former)
            showFormer();
        else
            emit keptChanged();
        remark_ = former ? tr("Nothing new was found: %1. What was found before stays").arg(reason)
                         : tr("Nothing was found: %1").arg(reason);
        update();
    });
    connect(table_, &PartsTable::weighed, this, [this](const std::vector<PlanElement>& parts) {
        if (!found_) return;
        found_->choices[static_cast<std::size_t>(chosen_)].parts = parts;
        kept_ = {};
        emit keptChanged();
    });
    connect(&document, &Document::graphChanged, this, [this] {
        if (busy() && running_)
            emit leftBehind(tr("The search of the former graph ended %1; open that graph again to see it")
                                .arg(running_->reached()));
        aside_.clear();
        cut_off_.reset();
        begins_soon_ = false;
        earlier_->clear();
        times_ = timesNow();
        forget();
    });
    connect(&document, &Document::timesChanged, this, &SearchPanel::takeTimes);
    for (const auto signal : {&Document::evaluationChanged, &Document::currentChanged})
        connect(&document, signal, this, &SearchPanel::update);
    for (const auto signal : {&Document::planChanged, &Document::evaluationChanged, &Document::variantsChanged})
        connect(&document, signal, this, &SearchPanel::takeStart);
    whenReadingChanges(document, this, [this] { update(); });
    connect(&document, &Document::failed, this, &SearchPanel::update);
    times_ = timesNow();
    forget();
}

QWidget* SearchPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    connect(controls_, &SearchControls::changed, this, [this] {
        update();
        takeLimit();
    });
    connect(controls_, &SearchControls::judged, this, [this] {
        update();
        if (found_) describeChoice();
    });
    // Who is about to type a limit has not given up the plan that is chosen.
    connect(controls_, &SearchControls::limitToBeTyped, this, [this] {
        update();
        isWithinLimit(chosen_) ? choose(chosen_) : takeLimit();
    });
    find_->setObjectName("findPlan");
    find_->setAccessibleName(tr("Find a better plan, or stop"));
    connect(find_, &QPushButton::clicked, this, &SearchPanel::findOrFinish);
    layout->addWidget(find_);  // before the controls, which grow and shrink with what is chosen: it stays where it is
    layout->addWidget(controls_);
    layout->addStretch(1);
    return bar;
}

QWidget* SearchPanel::makeResult() {
    const std::pair<QLabel*, QString> texts[] = {
        {result_, tr("What was found")}, {caption_, tr("How far the search is")}, {end_, tr("How the search ended")}};
    for (const auto& [label, name] : texts) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::RichText);
        label->setTextInteractionFlags(Qt::TextBrowserInteraction);
        label->setAccessibleName(name);
        connect(label, &QLabel::linkActivated, this, &SearchPanel::follow);
    }
    result_->setObjectName("searchResult");
    caption_->setObjectName("searchCaption");
    end_->setObjectName("searchEnd");
    for (QLabel* label : {caption_, end_}) label->setProperty("role", "dim");
    connect(open_, &QPushButton::clicked, this, [this] {
        open();
        // Who asks for the tab keeps it.
        if (document_.current()->key() == compared_.key) compared_ = {};
    });
    connect(compare_, &QPushButton::clicked, this, &SearchPanel::compare);
    for (QPushButton* button : {open_, compare_}) button->setAccessibleName(button->text());
    // How it ended is of less interest than what was found; where there is little height, the first stands alone.
    return new ResultArea({open_, compare_}, {caption_, result_, earlier_, end_}, table_);
}

QString SearchPanel::caption() const {
    return told_;
}

QString SearchPanel::result() const {
    return result_text_;
}

void SearchPanel::say(const QString& sentence, bool of_end) {
    told_ = shownName(sentence);
    for (QLabel* label : {caption_, end_}) {
        const bool says = (label == end_) == of_end && !sentence.isEmpty();
        label->setText(says ? linked(told_) : QString());
        label->setHidden(!says);
    }
}

void SearchPanel::sayResult(const QString& sentences) {
    result_text_ = sentences;
    result_->setText(linked(sentences));
}

QString SearchPanel::linked(const QString& sentences) const {
    QString text = sentences.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
    if (!found_) {
        for (const auto& [phrase, limit] : limitPhrases())
            if (const qsizetype at = text.indexOf(phrase); at >= 0)
                text.replace(at, phrase.size(),
                             QStringLiteral("<a href=\"%1%2\">%3</a>").arg(limit_link).arg(limit).arg(phrase));
        return text;
    }
    for (const NamedChoice& named : namedChoices(*found_)) {
        const QString phrase = named.phrase.toHtmlEscaped();
        if (const qsizetype at = text.indexOf(phrase); at >= 0)
            text.replace(at, phrase.size(), QStringLiteral("<a href=\"%1\">%2</a>").arg(named.choice).arg(phrase));
    }
    return text;
}

std::vector<std::pair<QString, int>> SearchPanel::limitPhrases() const {
    if (busy() || limit() || !obstacle().why.isEmpty()) return {};
    std::vector<std::pair<QString, int>> phrases{
        {tr("the peak of the baseline"), static_cast<int>(SearchControls::Limit::baseline)}};
    if (device_memory_bytes(*document_.graph()) > 0)
        phrases.emplace_back(tr("what the device holds"), static_cast<int>(SearchControls::Limit::device));
    return phrases;
}

void SearchPanel::follow(const QString& link) {
    if (!link.startsWith(limit_link)) return choose(link.toInt());
    controls_->limit()->setCurrentIndex(link.mid(limit_link.size()).toInt());
    find_->setFocus();  // so that Enter begins
}

/// Anywhere among what a search is asked for, as in a dialog, before the first one.
void SearchPanel::keyPressEvent(QKeyEvent* event) {
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!enters || !controls_->isAncestorOf(focusWidget())) return QWidget::keyPressEvent(event);
    beginIfNew();
}

QStandardItemModel* SearchPanel::elements() {
    return table_->parts();
}

bool SearchPanel::weighing() const {
    return table_->busy();
}

void SearchPanel::update() {
    controls_->update();  // first: whether a plan can stay within the limit depends on what changed
    if (keepPromise()) return;
    const QString why = obstacle().why;
    find_->setText(busy() ? FindButton::stopText() : FindButton::findText());
    setAvailable(*find_, busy() ? QString() : why);
    if (!busy()) tellWhereItStands();
    introduce();
    const QString none = found_ ? QString() : tr("Nothing was found yet");
    setAvailable(*open_, none);
    setAvailable(*compare_, none);
    setAvailable(*earlier_, none);
    if (!found_) return;
    // The peak of this plan is another one with another tab. It is known only with the plan's first evaluation.
    const bool is_another = shown_limit_ && limit() && limit() != shown_limit_;
    is_another ? takeLimit() : showLimit();
}

void SearchPanel::forget() {
    task_.cancel();
    remark_.clear();
    hindrance_.clear();
    if (found_ || running_) emit keptChanged();
    found_.reset();
    tried_limit_.reset();
    kept_ = {};
    former_ = {};
    running_.reset();
    check_.forget();
    trail_.clear();
    chart_->clear();
    chart_->setCurrent(std::nullopt);
    chart_->setPeakLimit(std::nullopt);
    front_->offerSlider(false);
    chart_->setNote(tr("Plans that are found are drawn here, step against peak memory"));
    chart_->setDeviceMemory(document_.isOpen() ? device_memory_bytes(*document_.graph()) : 0);
    table_->clear();
    introduced_.clear();
    sayResult({});
    update();
}

/// What the steps of the chart have in common: a search, its bound, and the plan that it began at share links, whether
/// the figures elsewhere do or not.
/// Said once, above the chart, and what it means in tool tips.
/// @param differs whether a step is another one with links shared; where none is, nothing is said of them.
void SearchPanel::showLinks(LinkSharing links, bool differs) {
    const bool said = links == LinkSharing::by_group || differs;
    const QString help = said ? linksHelp(links) : QString();
    chart_->setStepsText(said ? tr("steps of a job, %1").arg(linksLabel(links)) : QString(), help);
    result_->setToolTip(help);
    result_->setAccessibleDescription(help);
}

/// How a search begins, and within which peak; nothing while one runs, which Enter ends.
QString SearchPanel::beginning() const {
    if (busy() || !obstacle().why.isEmpty()) return {};
    if (limit()) return tr("Enter begins a search for plans within %1.").arg(controls_->limitInWords()) + u' ';
    QStringList limits;
    for (const auto& [phrase, limit] : limitPhrases())
        limits.append(tr("%1 (%2)").arg(phrase, formatBytes(static_cast<double>(controls_->bytesOf(limit)))));
    return tr("Enter begins a search for plans with any peak.") + u' ' +
           tr("Choose a limit first where it matters: %1 or another one above.")
               .arg(limits.join(QStringLiteral(", "))) +
           u' ';
}

/// While nothing was found: how a search begins, what it does, and which of two steps of the shown plan it compares
/// with.
void SearchPanel::introduce() {
    if (found_ || result_text_ != introduced_) return;
    const QString begins = beginning();
    introduced_ = (begins.isEmpty() ? tr("A search evaluates") : begins + tr("It evaluates")) + u' ' +
                  tr("plans with the exact passes, and says how far the best is from the best there can be. You can go "
                     "on working meanwhile.");
    const auto evaluation = document_.evaluation();
    const bool shared = !busy() || links_ == LinkSharing::by_host;  // a search keeps the links that it began with
    const bool differs = shared && evaluation && !evaluation->refused && evaluation->on_shared_links;
    if (!busy()) showLinks(LinkSharing::by_host, differs);
    if (differs)
        introduced_ += tr(" Plans are compared by their step with links shared, which a job can reach: %1 of %2, which "
                          "is %3 where each process group has a link of its own.")
                           .arg(formatTime(evaluation->on_shared_links->step_ms),
                                shownName(document_.current()->title()), formatTime(evaluation->simulation.step_ms));
    sayResult(introduced_);
}

void SearchPanel::drawStart() {
    beside_ = startNow(began_, document_, links_);
    if (found_ && beside_.edited && !beside_.refused)
        beside_.counts = check_.couldTake(document_.graph(), *beside_.plan, document_.baseline().time_source, links_)
                             .value_or(false);
    std::optional<StepPeakChart::Point> ring;
    // One that is refused has no figures.
    if (!beside_.edited || !beside_.refused)
        ring = StepPeakChart::Point{-1, beside_.title, beside_.step_ms, beside_.peak_bytes};
    chart_->setCurrent(std::move(ring));
}

}  // namespace overlap::ui
