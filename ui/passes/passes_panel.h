#pragma once

#include <QWidget>

class QMenu;
class QPlainTextEdit;
class QSplitter;

namespace overlap::ui {

class Document;
class ExpertOverlapMenu;
class OverlapsView;
class PassOptionsForm;
class PassPicker;
class PassesBar;
class PassesModel;
class PassesView;
class StepChangesModel;
class StepChangesView;

/// The pipeline of the current plan: its steps in order, the options of the selected step, and what that step did to
/// the graph. Every edit can be undone.
class PassesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PassesPanel(Document& document, QWidget* parent = nullptr);

    PassesModel& model() { return *model_; }
    PassesView& steps() { return *steps_; }
    PassOptionsForm& options() { return *options_; }
    StepChangesModel& changes() { return *changes_; }
    OverlapsView& overlaps() { return *overlaps_; }
    PassPicker& picker() { return *picker_; }
    QMenu& presetMenu() { return *preset_menu_; }
    ExpertOverlapMenu& expertOverlap() { return *experts_menu_; }

    /// The selected step; -1 where there is none.
    int currentStep() const;
    void selectStep(int step);

    // The user's actions on the selected step or the pipeline.
    void chooseAndAdd();
    void choosePreset();
    void switchCurrent();
    void moveCurrent(int by);
    void removeCurrent();
    void resetCurrent();

  signals:
    /// Something that the user should read, such as what a preset leaves out.
    void told(const QString& sentence);
    /// The user wants to change what is asked of a collective by hand.
    void overlapEditWanted(const QString& collective);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// Overlaps by hand: a column of their own, or below the steps.
    void placeOverlaps(bool beside);
    void fillPresetMenu();
    void showMenu(const QPoint& position);
    void showStep();
    void updateState();

    Document& document_;
    PassesModel* model_;
    StepChangesModel* changes_;
    PassesView* steps_;
    PassOptionsForm* options_;
    OverlapsView* overlaps_;
    StepChangesView* changes_view_;
    PassPicker* picker_;
    QMenu* preset_menu_;
    ExpertOverlapMenu* experts_menu_;
    PassesBar* bar_;
    QSplitter* columns_;
    QWidget* pipeline_;  ///< steps, and overlaps by hand below them: in its first column, below the bar
    QPlainTextEdit* refusal_;
    int wanted_step_ = 0;  ///< to be selected when the rows are new
};

}  // namespace overlap::ui
