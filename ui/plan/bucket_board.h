#pragma once

#include <QPointer>
#include <QWidget>
#include <string>
#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QToolButton;

namespace overlap::ui {

class BucketModel;
class BucketView;
class Document;
class DropPreview;
class FittingScrollArea;
class UncoveredList;
class UncoveredModel;

/// The plan as cards, with the field to type entries, the templates to start from, and what no bucket covers.
class BucketBoard : public QWidget {
    Q_OBJECT

  public:
    explicit BucketBoard(Document& document, QWidget* parent = nullptr);
    ~BucketBoard() override;

    BucketView* view() { return view_; }
    BucketModel* model() { return model_; }
    UncoveredModel* uncovered() { return uncovered_; }
    QLineEdit* entryField() { return entry_; }
    /// The controls at the right of the dock's title: templates and a new bucket. Belongs to the widget that it is put
    /// into, to this one until then.
    QWidget* headerControls() { return header_; }

    /// What the user can do with a plan whose buckets a pass finds by itself: offered beside the list of them.
    void setManualStart(QAction* action);
    /// Whether it shows buckets that a pass finds by itself.
    bool automatic() const { return finds_itself_; }

    /// Asks for the number of blocks and starts from one bucket for as many.
    void startFromEveryBlocks();

  signals:
    /// The graph has no module names, and rules are to give it some.
    void repairWanted();
    /// Why an edit was refused; one sentence without full stop.
    void refused(const QString& reason);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeHeader();
    void addTyped();
    void updateUncovered();
    /// As much of what it says as there is room for; the tool tip has all of it.
    void elideUncoveredTitle();
    void updateAutomatic();
    /// A board with cards that is not high has room for these, and for no words on what a pass finds by itself: that no
    /// step takes the cards is said beside the button that helps, with the pass in its tool tip.
    void useRoom();
    void updateRepair();
    void showUncovered(bool shown);
    void tell(const QString& reason);
    /// Tells which names of the buckets from `first` on no module has, and of what was typed with them what was left
    /// out.
    void tellAdded(std::size_t first, const QString& left_out);
    /// Takes that back: names where the plan has none of them any more, what was left out with the next edit.
    void forgetUnknown();

    Document& document_;
    BucketModel* model_;
    DropPreview* preview_;
    UncoveredModel* uncovered_;
    QPointer<QWidget> header_;
    QLineEdit* entry_;
    QLabel* message_;
    std::vector<std::string> told_unknown_;  ///< what the message says that no module is called
    bool told_of_edit_ = false;              ///< the message is of the plan's last edit, and goes with the next
    FittingScrollArea* automatic_;           ///< shown where a pass finds buckets by itself
    bool finds_itself_ = false;
    QLabel* automatic_text_;
    QToolButton* manual_;
    QLabel* manual_refusal_;  ///< why there is nothing to start from
    QToolButton* repair_;     ///< shown where the graph has no module names
    BucketView* view_;
    QPushButton* uncovered_title_;
    QString uncovered_text_;
    QListView* uncovered_list_;
};

}  // namespace overlap::ui
