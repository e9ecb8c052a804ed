#pragma once

#include <QJsonObject>
#include <QObject>
#include <memory>
#include <optional>

class QComboBox;

namespace overlap::ui {

class Document;
class Measurements;
struct Measurement;

/// Which two steps are compared: the first a plan, the second a plan or a measurement. Until the user chooses, it is
/// the plan that was shown before, at first the baseline, and the one that is shown; where there is a measurement, the
/// plan that is shown and the measurement.
class ComparedSides : public QObject {
    Q_OBJECT

  public:
    ComparedSides(Document& document, Measurements& measurements, QObject* parent);

    /// The boxes to choose in; the caller puts them into a layout.
    QComboBox* before() { return before_; }
    QComboBox* after() { return after_; }
    /// The measurement that is chosen in a box; null where a plan is.
    std::shared_ptr<const Measurement> measurement(const QComboBox& box) const;
    /// Chooses two plans, by their positions in the document.
    void choosePlans(int before, int after);

    /// What the user chose in the open graph, for the session; empty where nothing was chosen.
    QJsonObject choice() const;
    /// Takes up what choice() gave, as soon as both sides are there: a measurement may still be being read. Where one
    /// does not come back, sides are those of an own choice.
    void restoreChoice(const QJsonObject& choice);

  signals:
    /// Other sides, or others to choose from.
    void changed();
    /// choice() is another one.
    void choiceChanged();

  private:
    void fillSides();
    /// @returns whether what was chosen in the box is still there.
    bool fill(QComboBox& box, bool with_measurements);
    void forget();
    void followShown();
    void followOpened(bool is_shown);
    void chooseSides();
    void setChosen();
    void takeRestored();
    QJsonObject sideToKeep(const QComboBox& box) const;
    /// In the box; -1 where it is not there.
    int placeOf(const QJsonObject& side, const QComboBox& box) const;

    Document& document_;
    Measurements& measurements_;
    QComboBox* before_;
    QComboBox* after_;
    bool chosen_ = false;                          ///< by the user
    QJsonObject restored_;                         ///< a choice whose sides are not all there yet
    std::optional<quint64> shown_, shown_before_;  ///< keys of plans
};

}  // namespace overlap::ui
