#pragma once

#include <QDialog>
#include <array>

#include "ui/files/graph_loader.h"

class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QTreeWidget;

namespace overlap::ui {

/// Asks which graph of logs or texts is to be opened, with fields for what the files leave out: ranks of process
/// groups, values of symbols, tensors of inputs. Shows what was skipped and whether the ranks agree. The most useful
/// graph is chosen beforehand.
class GraphChooser : public QDialog {
    Q_OBJECT

  public:
    explicit GraphChooser(GraphChoice choice, QWidget* parent = nullptr);

    /// Where the graph that is open is one of these, it is chosen, with what was told of it, and how it stands is said.
    void startFrom(const LoadedGraph& open);
    /// The choice and the user's additions; nothing is open yet.
    GraphSource source() const;
    /// Why the graph could not be opened; the dialog stays for another try.
    void showProblem(const QString& reason);

    QLineEdit& search() { return *search_; }
    QTreeWidget& list() { return *list_; }
    QLineEdit& groups() { return *groups_; }
    QLineEdit& symbols() { return *symbols_; }
    QLineEdit& rank() { return *rank_; }
    QString notes() const;
    /// What is known of the open graph, where it is the chosen one: `group 0: ranks 0–7 · group 9: ranks not known`.
    QString standing() const;

    /// Asks to open the graph; the receiver opens it and closes the dialog.
    void accept() override;

  signals:
    void chosen(const overlap::ui::GraphSource& source);

  private:
    void fillList();
    void fillNotes();
    void addFields(QFormLayout& form);
    void askForTensors();
    /// Shows rows that have all words of the search, and keeps one of them chosen.
    void filter();
    /// Asks only for what the chosen graph lacks.
    void showNeeds();
    /// Texts of the fields: groups, rank, world size, symbols, tensors.
    using Told = std::array<QString, 5>;
    /// What was told of the chosen graph stands for what was told of the one before; what the user typed stays.
    void fillIn(const Told& told);
    /// A world size without a rank, which the log may know.
    void showWhatIsAlone();
    int chosenGraph() const;

    GraphChoice choice_;
    QLineEdit* search_;
    QTreeWidget* list_;
    QPlainTextEdit* notes_;
    QLineEdit* groups_;
    QLineEdit* rank_;
    QLineEdit* world_size_;
    QLineEdit* symbols_;
    QLineEdit* tensors_;
    QLabel* standing_;
    QLabel* alone_;        ///< that a world size says nothing without a rank
    QString open_;         ///< key of the graph that startFrom() was given
    QString open_stands_;  ///< how it stands
    Told open_told_;       ///< what was told of it
    Told filled_in_;       ///< what fillIn() was given last
    QFormLayout* form_;
    QLabel* problem_;
    QDialogButtonBox* buttons_;
};

}  // namespace overlap::ui
