#pragma once

#include <QJsonObject>
#include <QPointer>
#include <QUndoStack>
#include <QWidget>
#include <functional>
#include <memory>
#include <utility>

#include "ui/mesh/answers/mesh_inputs.h"
#include "ui/mesh/answers/path_comparison.h"
#include "ui/mesh/parameter_column.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class AnswerColumn;
class CostBox;
class InputsForm;
class PathBoard;
class RankStage;
class TurningSplitter;

/// How a tensor gets from one layout on a mesh to another: both states by text and by hand, every planner's path beside
/// the others', and who holds what before and after each step. Works without a graph; an open graph offers its
/// parameters to start from.
class MeshView : public QWidget {
    Q_OBJECT

  public:
    explicit MeshView(QWidget* parent = nullptr);
    ~MeshView() override;

    const MeshInputs& inputs() const { return inputs_; }
    /// Changes the inputs, as an edit that can be undone. Edits with one `merge` key other than -1 in a row are one.
    void edit(const MeshInputs& inputs, const QString& text, int merge = -1);
    QUndoStack& undoStack() { return undo_; }

    /// What the open graph offers; an empty list hides the column.
    void setParameters(std::vector<MeshParameter> parameters);
    /// Which orders the current plan has for them; empty for none, one for each parameter.
    void markParameters(const std::vector<QString>& orders) { parameters_->setChosen(orders); }
    /// Asks about a parameter that is offered, as an edit, and chooses it in the list.
    void showParameter(const QString& name, const MeshInputs& inputs);
    /// The open graph's links, for the cost model of this name, or why they are awaited; nullptr where there are none.
    void setLinks(std::shared_ptr<const GraphLinks> links);
    /// Stands under the parameters.
    DeviceOrderList& orders() { return parameters_->orders(); }
    CostBox& costs() { return *costs_; }

    /// The newest answer, or nullptr where there is none.
    std::shared_ptr<const PathComparison> comparison() const;
    bool busy() const { return task_.busy(); }

    /// The chosen path as text; empty where there is none.
    QString pathAsText() const;
    void copyPath();
    /// Writes the chosen path: as a picture where the name ends in .png or .svg, else as text. Failures are reported.
    void savePath(const QString& file);

    /// @param stem what names of files begin with, asked when one is suggested; empty, or without it, they have no
    /// beginning.
    void nameFilesAfter(std::function<QString()> stem) { stem_ = std::move(stem); }

    /// The controls beside the tabs: what can be done with a path. Belongs to the widget that it is put into, to this
    /// one until then.
    QWidget* headerControls() { return header_; }

    QJsonObject state() const;
    void restore(const QJsonObject& state);

    InputsForm& form() { return *form_; }
    PathBoard& paths();
    RankStage& stage();

  signals:
    /// Something that state() has is another now.
    void stateChanged();
    /// A sentence on what was done or could not be.
    void told(const QString& sentence);
    void parameterSelected(const QString& name);
    /// The inputs were undone or redone while the view is not to be seen.
    void changedUnseen();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    class Edit;

    void makeHeader();
    void arrangeColumns();
    void connectForm();
    void setInputs(const MeshInputs& inputs);
    /// Which costs there are, and whether those that were chosen are the open graph's.
    void showCosts();
    void chooseCosts(const QString& id);
    /// Answers `inputs`; `tried` while a chip is dragged.
    void evaluate(const MeshInputs& inputs, bool tried);
    void showComparison(std::shared_ptr<const PathComparison> comparison, bool tried);
    void tell(const QString& verdict, bool better);
    void fitStates();
    QString stateText(MeshField field, const ShardingState& state) const;
    void askAndSave();

    MeshInputs inputs_;
    MeshQuestion question_;
    ShardingState last_source_, last_target_;  ///< the newest that could be read
    QUndoStack undo_;
    std::shared_ptr<const PathComparison> before_;  ///< what a drag began with
    ParameterColumn* parameters_;
    QPointer<QWidget> header_;
    CostBox* costs_;
    std::shared_ptr<const GraphLinks> links_;
    InputsForm* form_;
    AnswerColumn* answers_;
    TurningSplitter *left_, *columns_;
    std::function<QString()> stem_;
    LatestTask task_;
};

}  // namespace overlap::ui
