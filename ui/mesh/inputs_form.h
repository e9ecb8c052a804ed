#pragma once

#include <QWidget>
#include <array>

#include "ui/mesh/answers/mesh_inputs.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace overlap::ui {

class StateEditor;

/// Mesh, tensor, source and target: all inputs of the view but the costs. Typed text is emitted at once, and errors are
/// shown below all fields.
class InputsForm : public QWidget {
    Q_OBJECT

  public:
    explicit InputsForm(QWidget* parent = nullptr);

    void show(const MeshInputs& inputs, const MeshQuestion& question);

    StateEditor& source() { return *source_; }
    StateEditor& target() { return *target_; }
    QLineEdit& field(MeshField field);
    /// The devices of a host: they matter to costs only, and are beside the cost model where that has room for them.
    QWidget* hosts() { return hosts_; }
    /// They stand below the tensor instead.
    void showHosts();

  signals:
    /// `field` has another text. Edits of one field in a row are one edit.
    void typed(overlap::ui::MeshField field, const QString& text);
    void dtypeChosen(const QString& dtype);
    /// A state was changed by hand: `text` names the edit.
    void stateEdited(overlap::ui::MeshField field, const overlap::ShardingState& state, const QString& text);
    void statePreviewed(overlap::ui::MeshField field, const overlap::ShardingState& state);
    void previewEnded();
    void fitWanted();

  private:
    static QWidget* row(const QString& name, const std::vector<QWidget*>& fields);
    QLineEdit* textField(MeshField field, const QString& name, const QString& help);
    void connectState(StateEditor* editor, MeshField field);

    std::array<QLineEdit*, 4> fields_{};  ///< mesh, names, hosts, tensor
    QComboBox* dtype_;
    QWidget* hosts_;
    QWidget* above_hosts_;  ///< the row of the tensor
    QLabel* problem_;
    StateEditor *source_, *target_;
};

}  // namespace overlap::ui
