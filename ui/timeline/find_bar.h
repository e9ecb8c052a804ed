#pragma once

#include <QFrame>
#include <QTimer>
#include <optional>
#include <vector>

#include "core/timeline/find_events.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace overlap::ui {

class DurationHistogram;

/// The search field of the timeline with what was found. Enter and Shift+Enter step through the matches, Escape closes;
/// what is typed is searched once typing pauses.
class FindBar : public QFrame {
    Q_OBJECT

  public:
    explicit FindBar(QWidget* parent = nullptr);

    /// Shows itself with the text marked, ready to be typed over.
    void open();
    QString query() const;
    void setQuery(const QString& query);
    /// Says what was found, and lies at the right end of `line`. Where that is short, what is said of the matches
    /// beyond their number goes first, then the button for durations unless they are shown, then a part of the field.
    void show(const QString& summary, const QRect& line);
    /// How long the matches last, and which durations are chosen; none of either for nothing.
    void setDurations(std::vector<DurationBin> bins, std::optional<std::size_t> chosen);
    DurationHistogram& histogram() { return *histogram_; }
    QToolButton& histogramButton() { return *durations_; }

  signals:
    void queryChanged(const QString& query);
    /// +1 for the next match, -1 for the one before; the query is searched by then.
    void stepWanted(int step);
    /// Only matches that last as long as this bin says; nothing for all.
    void durationChosen(std::optional<std::size_t> bin);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void search();
    void step(int step);
    void close();
    void placeHistogram();

    QLineEdit* field_;
    QLabel* summary_;
    QToolButton *durations_, *back_, *forward_, *leave_;
    DurationHistogram* histogram_;
    QTimer pause_;
    QString searched_;
};

}  // namespace overlap::ui
