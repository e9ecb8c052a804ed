#pragma once

#include <QJsonObject>
#include <QStandardItemModel>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/search/found_choices.h"
#include "ui/search/found_plans_json.h"
#include "ui/search/found_with_other_times.h"
#include "ui/search/interrupted_search.h"
#include "ui/search/plan_search_task.h"
#include "ui/search/start_check.h"
#include "ui/widgets/charts/step_peak_chart.h"

class QLabel;
class QPushButton;

namespace overlap::ui {

class Document;
class EarlierSearches;
class FrontArea;
class FrontChart;
class LimitSlider;
class PartsTable;
class SearchControls;

/// Finds a better plan: looks for plans with a short step within a limit of the peak, draws the front that it finds
/// above the bound, and says what the best is worth. What is found opens as a plan of its own.
class SearchPanel : public QWidget {
    Q_OBJECT

  public:
    explicit SearchPanel(Document& document, QWidget* parent = nullptr);

    SearchControls& controls() { return *controls_; }
    QPushButton* findButton() { return find_; }
    QPushButton* openButton() { return open_; }
    QPushButton* compareButton() { return compare_; }
    FrontChart* chart() { return chart_; }
    LimitSlider* limitSlider() { return slider_; }
    /// What was found before.
    EarlierSearches* earlier() { return earlier_; }
    /// What the parts of the chosen plan are worth.
    QStandardItemModel* elements();
    /// How far the search is, or why there is none.
    QString caption() const;
    /// What was found, in sentences.
    QString result() const;
    bool busy() const { return task_.busy(); }
    /// The parts of the chosen plan are being weighed.
    bool weighing() const;

    /// What was found, now and before, and the choice, and what a search is asked for, for the session; empty where
    /// nothing was found and nothing was chosen.
    QJsonObject kept() const;
    /// Takes up what kept() gave; what was found is shown while the times are used that it was found with.
    void restore(const QJsonObject& kept);

    /// Begins a search; while one runs, ends it with the best so far.
    void findOrFinish();
    /// Begins a search where none runs and nothing was found yet, as Enter does: what was found is not thrown away
    /// unasked.
    void beginIfNew();
    /// Begins a search where none runs. Where the plan that is shown is still being evaluated it begins after that,
    /// and the caption says so; where nothing can be found, the caption says why, and none begins later.
    void beginSoon();
    /// The best plan of the search that was cut off (interrupted()), as a plan of its own, or shown where it is one
    /// already; nothing happens where there is none.
    void openBest();
    /// The search of the open graph that was cut off, as interrupted() told of it. Where the times are others than
    /// those that it began with, its reason says so.
    std::optional<InterruptedSearch> cutOff() const;
    /// Keeps no more of the search that was cut off: the user does not want it.
    void dropCutOff();

  signals:
    void compareWanted(int before, int after);
    /// kept() is another one.
    void keptChanged();
    /// Why what was typed is no limit; one sentence without full stop.
    void refused(const QString& reason);
    /// Another graph was opened while a search ran, which ended with it.
    void leftBehind(const QString& sentence);
    /// What restore() took up was kept while a search ran, which ended with the window or with its graph; or the times
    /// have become others while one ran. It is kept on, and told at the next opening of the graph again, until it was
    /// opened, a search has found something, or dropCutOff().
    void interrupted(const overlap::ui::InterruptedSearch& search);
    /// The search that interrupted() told of last is kept no more: its best plan was opened, another search has found
    /// something, or dropCutOff(). Another graph ends it without a word.
    void cutOffDropped();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QWidget* makeBar();
    QWidget* makeResult();
    void update();
    void forget();
    void introduce();
    QString beginning() const;
    /// What of beginning() chooses a limit by a click, and which one, a SearchControls::Limit.
    std::vector<std::pair<QString, int>> limitPhrases() const;
    /// Of a link in a sentence.
    void follow(const QString& link);
    void showLinks(LinkSharing links, bool differs);
    /// Shows what was found before a search that was refused.
    void showFormer();
    /// Why nothing can be found.
    struct Obstacle {
        QString why;          ///< a sentence without full stop; empty where something can be found
        bool passes = false;  ///< by itself: the plan is being evaluated
    };
    Obstacle obstacle() const;
    void begin();
    bool keepPromise();
    void takeTimes();
    /// The caption while no search runs: what ended or hindered it, else how the search ended whose result is shown.
    void tellWhereItStands();
    void drawStart();
    void takeStart();
    FoundPlans foundBeside() const;
    void drawTrail(const SearchProgress& progress);
    void showProgress(const SearchProgress& progress);
    /// How far it is, and within which limit where another one stands in the field by now.
    void tellProgress();
    void showFound(const FoundPlans& found, int chosen);
    /// Shows what was found with the times that are used now, where nothing else is shown.
    void takeBack();
    /// Keeps what was found with times that are used no more.
    void setAside();
    /// timesOf() the open graph; empty where none is open.
    QString timesNow() const;
    /// The step of the graph as it is, with the times that are used now.
    double baselineMs(LinkSharing links) const;
    /// Other times are used than those that the search which was cut off began with.
    bool cutOffHasOtherTimes() const;
    void takeFound(const FoundPlans& found);
    void showEarlier(std::size_t index);
    void showParts();
    void drawChoices();
    void choose(int choice);
    /// Nothing where any peak will do, or the limit is not known.
    std::optional<std::int64_t> limit() const;
    bool isWithinLimit(int choice) const;
    void takeLimit();
    void showLimit();
    void describeEarlier();
    QString limitSentence() const;
    QString noneWithin(std::int64_t limit) const;
    void describeChoice();
    QJsonObject keptFound() const;
    /// A name that no plan has: `what`, or with a number.
    QString freeName(const QString& what) const;
    /// @returns the position of the variant.
    int open();
    /// Puts the chosen plan beside the one that the search began at. The tab that it took for that it takes again for
    /// the next one, unless the user has done something with it: who compares many plans is not left with as many.
    void compare();
    /// The same of any plan that a search made for the open graph.
    int showPlan(Plan plan);
    /// @param of_end the sentence says how the search ended whose result is shown: it stands below that.
    void say(const QString& sentence, bool of_end = false);
    void sayResult(const QString& sentences);
    /// As rich text, with a link to each choice that is spoken of.
    QString linked(const QString& sentences) const;

    Document& document_;
    SearchControls* controls_;
    QPushButton *find_, *open_, *compare_;
    QLabel *caption_, *result_, *end_;
    FrontChart* chart_;
    LimitSlider* slider_;
    FrontArea* front_;  ///< both
    EarlierSearches* earlier_;
    PartsTable* table_;
    SearchStart began_;   ///< where the newest search began
    SearchStart beside_;  ///< the same as it is now: what plans are compared with
    std::optional<FoundPlans> found_;
    int chosen_ = 0;  ///< of found_
    /// A plan that compare() has opened.
    struct Compared {
        quint64 key = 0;  ///< of its variant; 0: none
        Plan plan{};      ///< as it was opened
    } compared_;
    /// What was found before the search that runs.
    struct Former {
        std::optional<FoundPlans> found;
        int chosen = 0;
    } former_;
    std::optional<InterruptedSearch> running_;    ///< what would be lost of the search that runs
    std::optional<InterruptedSearch> cut_off_;    ///< of the open graph, see interrupted()
    QTimer keep_;                                 ///< until running_ is kept again
    bool begins_soon_ = false;                    ///< see beginSoon()
    QString times_;                               ///< timesOf() what was found, now and before
    FoundWithOtherTimes aside_;                   ///< until the graph has those times
    mutable QJsonObject kept_;                    ///< of found_, without the choice; empty: not made yet
    std::vector<StepPeakChart::Point> trail_;     ///< the best so far while a search runs, and those before it
    std::optional<std::int64_t> searched_limit_;  ///< of the search that runs
    std::optional<std::int64_t> tried_limit_;     ///< that a search has found no plan within
    std::optional<std::int64_t> shown_limit_;     ///< in the chart, by which the plan was chosen
    LinkSharing links_ = LinkSharing::by_host;    ///< of the steps in the chart
    bool any_order_ = false;                      ///< the search that runs may change the order of compute
    QString progress_;                            ///< how far the search is that runs
    QString told_, result_text_;                  ///< what caption_ or end_, and result_, say, without links
    QString introduced_;                          ///< what introduce() said
    QString hindrance_;    ///< the obstacle for which beginSoon() did not begin, while it is there
    QString remark_;       ///< why a search found nothing or was cut off; a sentence without full stop
    StartCheck check_;     ///< of beside_, where it has been edited
    PlanSearchTask task_;  ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
