#pragma once

#include <QHash>
#include <QJsonObject>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/cost/shared_links.h"
#include "core/search/plan_locks.h"
#include "ui/search/least_peak.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QToolButton;

namespace overlap::ui {

class Document;
class LimitField;
class LockButton;

/// What a search is asked for: the limit of the peak, the effort, and where it begins.
class SearchControls : public QWidget {
    Q_OBJECT

  public:
    /// What the peak of memory may be.
    enum class Limit { none, baseline, current, device, other };

    /// @param document whose current plan and baseline limits refer to; outlives it.
    explicit SearchControls(Document& document, QWidget* parent = nullptr);

    /// The choice of a Limit, in the order of the enumeration.
    QComboBox* limit() { return limit_; }
    /// The choice of the effort, each with its plans() as data.
    QComboBox* effort() { return effort_; }
    /// The switch of startsFromCurrent().
    QCheckBox* fromCurrent() { return from_current_; }
    LockButton* lockButton() { return locks_; }
    /// Whether plans may compute in any order, and whether each process group has a link of its own.
    QAction* anyOrder() { return any_order_; }
    QAction* separateLinks() { return separate_links_; }

    /// The most bytes that the step may hold; nothing where any peak will do, or the plan's is not known yet. Asked for
    /// only where a graph is open and obstacle() is empty.
    std::optional<std::int64_t> limitBytes() const;
    /// The limit with its bytes, such as `the peak of the baseline, 43.2 GiB`; `any peak` where there is none. Asked
    /// for as limitBytes() is.
    QString limitInWords() const;
    /// The bytes of one of the limits that have no number of their own, a Limit; 0 where they are not known.
    std::int64_t bytesOf(int limit) const;
    /// How many plans are evaluated at most to find one.
    std::size_t plans() const;
    /// The field of Limit::other. It starts at what the device holds, or empty, for no limit, where that is not known,
    /// and keeps what is typed there, also while another limit is chosen, until the user moves the limit on the chart.
    /// Each graph has its own limit, effort, options and start, which it has again when it is opened again.
    LimitField* otherLimit() { return other_limit_; }
    /// Another limit, as the user has chosen it on the chart; nothing: any peak.
    void setLimit(std::optional<std::int64_t> bytes);
    /// Another limit, as another panel's field has it, see LimitField::restore(). @param gib 0: any peak.
    void takeLimit(const QString& typed, double gib);
    /// Whether limitBytes() says what is chosen: the peak of a plan is known once it is evaluated.
    bool limitIsKnown() const;
    /// What of the current plan is to be kept.
    PlanLocks locks() const;
    /// Whether the current plan is changed, too. What is kept is kept of it.
    bool startsFromCurrent() const;
    /// Over which links process groups go.
    LinkSharing links() const;
    /// Why the limit is not known, as a sentence without full stop; empty where it is.
    QString obstacle() const;
    /// Why no plan can stay within the limit, as a sentence without full stop; empty where that is not known before a
    /// search.
    const QString& impossibility() const { return impossible_; }
    /// To be called when the current plan or its evaluation is another one.
    void update();
    /// Limit, effort, options and what it starts from of the open graph, for the session; empty where all are as at
    /// first.
    QJsonObject kept() const;
    /// Takes up what kept() gave; nothing is changed by an empty one.
    void restore(const QJsonObject& kept);

  signals:
    /// The limit is another one.
    void changed();
    /// The same, and its number is to be typed: until it is, it is the one that was typed before, or what the device
    /// holds; without either the limit stays, until the field is left empty.
    void limitToBeTyped();
    /// impossibility() is another one.
    void judged();
    /// kept() is another one.
    void keptChanged();
    /// See LimitField::refused().
    void refused(const QString& reason);

  private:
    bool canStartFromCurrent() const;
    void makeOptions();
    void showOptions();
    void showOtherLimit();
    void takeChoice(int index);
    void leaveEmptyField();
    void showChoice(int index);
    QString deviceObstacle() const;
    void offerDevice();
    void takeGraph();
    void judgeLimit();

    Document& document_;
    QComboBox *limit_, *effort_;
    LimitField* other_limit_;
    std::optional<std::int64_t> given_limit_;  ///< as limitBytes() counts what was typed, or from the chart
    int chosen_limit_ = 0;                     ///< a Limit, of which limit_ tells when it is another one already
    /// The limit from before its field was chosen, which is still empty; 0: there was none, or the field counts.
    std::int64_t until_typed_ = 0;
    static constexpr int normal_effort = 1;
    /// What is chosen for one graph.
    struct Choice {
        int limit = 0;  ///< a Limit
        std::optional<std::int64_t> given{};
        QString typed{};  ///< the same as it was typed, or empty
        double typed_gib = 0;
        int effort = normal_effort;
        bool any_order = false, separate_links = false;
        bool from_current = false;
        std::set<std::string> locks{};  ///< see LockButton::chosen()

        bool operator==(const Choice&) const = default;
    };
    Choice choice() const;
    void take(const Choice& choice);

    QString graph_;                   ///< whose choice is shown, by its path
    QHash<QString, Choice> choices_;  ///< of the graphs that were open before
    QCheckBox* from_current_;
    QToolButton* options_;
    QAction *any_order_, *separate_links_;
    LockButton* locks_;
    QLabel* least_shown_;  ///< beside the limit, where no plan can stay within it
    QString impossible_;
    LeastPeakFinder least_;  ///< last: what it finds uses the members above
};

}  // namespace overlap::ui
