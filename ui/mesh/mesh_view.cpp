#include "ui/mesh/mesh_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QUndoCommand>
#include <QVBoxLayout>
#include <cmath>

#include "core/mesh/sharding_text.h"
#include "ui/files/write_file.h"
#include "ui/mesh/answer_column.h"
#include "ui/mesh/cost_box.h"
#include "ui/mesh/inputs_form.h"
#include "ui/mesh/mesh_area.h"
#include "ui/mesh/mesh_header.h"
#include "ui/mesh/parameter_column.h"
#include "ui/mesh/path_board.h"
#include "ui/mesh/path_export.h"
#include "ui/mesh/ranks/rank_stage.h"
#include "ui/mesh/sharding_board.h"
#include "ui/mesh/state_editor.h"
#include "ui/mesh/turning_splitter.h"
#include "ui/tasks/task_failure.h"
#include "ui/widgets/flat_button.h"

namespace overlap::ui {
namespace {

/// Smaller than this, the view is scrolled; narrower, the answers stand below the inputs.
constexpr QSize least_size(600, 300);
constexpr int least_stacked_height = 620;
constexpr int fewest_letters = 5;  ///< of a cost model's title in a narrow header
constexpr int widest_costs = 220;
constexpr MeshField text_fields[] = {MeshField::mesh,   MeshField::names,  MeshField::hosts,
                                     MeshField::tensor, MeshField::source, MeshField::target};

}  // namespace

/// One edit of the inputs: both sides as they were typed.
class MeshView::Edit : public QUndoCommand {
  public:
    Edit(MeshView& view, MeshInputs after, const QString& text, int merge)
        : QUndoCommand(text), view_(view), before_(view.inputs_), after_(std::move(after)), merge_(merge) {}

    void redo() override { show(after_); }
    void undo() override { show(before_); }
    int id() const override { return merge_; }
    bool mergeWith(const QUndoCommand* newer) override {
        after_ = static_cast<const Edit*>(newer)->after_;
        setObsolete(after_ == before_);
        return true;
    }

  private:
    /// Undone from another view, it would not be seen.
    void show(const MeshInputs& inputs) {
        view_.setInputs(inputs);
        if (!view_.isVisible()) emit view_.changedUnseen();
    }

    MeshView& view_;
    MeshInputs before_, after_;
    int merge_;
};

MeshView::MeshView(QWidget* parent)
    : QWidget(parent),
      parameters_(new ParameterColumn),
      costs_(new CostBox),
      form_(new InputsForm),
      answers_(new AnswerColumn),
      left_(new TurningSplitter({190, 310}, {190, 110})),
      columns_(new TurningSplitter({500, 640}, {300, 320})) {
    setObjectName("meshView");
    setFocusProxy(&paths());
    makeHeader();
    QScrollArea* inputs = scrolledPart(form_, "meshInputsArea");
    inputs->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    inputs->setMinimumWidth(form_->minimumSizeHint().width() + 12);
    left_->addWidget(parameters_);
    left_->addWidget(inputs);
    left_->setStretchFactor(1, 1);
    columns_->addWidget(left_);
    columns_->addWidget(answers_);
    columns_->setStretchFactor(1, 1);
    for (TurningSplitter* parts : {left_, columns_}) parts->complete();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scrolledPart(columns_, "meshArea"));
    arrangeColumns();

    connectForm();
    connect(answers_, &AnswerColumn::arranged, this, &MeshView::stateChanged);
    connect(answers_, &AnswerColumn::graphCostsWanted, this, [this] { chooseCosts(linksId); });
    connect(parameters_, &ParameterColumn::chosen, this, &MeshView::showParameter);
    for (TurningSplitter* parts : {left_, columns_})
        connect(parts, &QSplitter::splitterMoved, this, &MeshView::stateChanged);
    setInputs(inputs_);
}

MeshView::~MeshView() {
    task_.cancel();
    if (header_ && !header_->parentWidget()) delete header_;
}

std::shared_ptr<const PathComparison> MeshView::comparison() const {
    return answers_->comparison();
}

PathBoard& MeshView::paths() {
    return answers_->paths();
}

RankStage& MeshView::stage() {
    return answers_->stage();
}

void MeshView::makeHeader() {
    QToolButton* more = flatButton(QStringLiteral("⋯"), tr("Copy or save the chosen path"));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    menu->addAction(tr("&Copy as text"), this, &MeshView::copyPath);
    menu->addAction(tr("&Save as text or picture…"), this, &MeshView::askAndSave);
    more->setMenu(menu);
    costs_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    costs_->setMinimumContentsLength(fewest_letters);
    costs_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    costs_->setMaximumWidth(widest_costs);
    connect(costs_, &CostBox::chosen, this, &MeshView::chooseCosts);
    header_ = new MeshHeader(*form_, costs_, more);
}

void MeshView::setParameters(std::vector<MeshParameter> parameters) {
    parameters_->setParameters(std::move(parameters));
    arrangeColumns();
}

/// Where there is little width, parameters stand below the inputs, which are what the view begins with; where there is
/// less, answers below both.
void MeshView::arrangeColumns() {
    const bool beside = width() >= least_size.width();
    const bool roomy = width() >= least_size.width() + parameters_->minimumWidth();
    left_->turn(roomy ? Qt::Horizontal : Qt::Vertical);
    if (const int place = roomy ? 0 : 1; left_->indexOf(parameters_) != place) {
        left_->insertWidget(place, parameters_);
        left_->complete();
    }
    columns_->turn(beside ? Qt::Horizontal : Qt::Vertical);
    columns_->setMinimumSize(beside ? least_size : QSize(0, least_stacked_height));
}

void MeshView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeColumns();
}

void MeshView::showParameter(const QString& name, const MeshInputs& inputs) {
    MeshInputs asked = inputs;
    asked.cost_model = inputs_.cost_model;  // the choice is the user's
    asked.devices_per_host = inputs_.devices_per_host;
    edit(asked, tr("Show %1").arg(name));
    parameters_->select(name);
    emit parameterSelected(name);
}

void MeshView::setLinks(std::shared_ptr<const GraphLinks> links) {
    links_ = std::move(links);
    showCosts();
    if (inputs_.cost_model == linksId) evaluate(inputs_, false);
}

void MeshView::showCosts() {
    const DeviceMesh mesh = question_.mesh.value_or(DeviceMesh{});
    const QString problem = linksProblem(links_.get(), mesh);
    costs_->show(inputs_.cost_model, problem);
    // Beside the figures of a graph, those here would be taken for its own.
    const bool graphs = inputs_.cost_model == linksId, offered = problem.isEmpty();
    QString note;
    if (links_ && links_->awaited.isEmpty() && !graphs)
        note = tr("Times by %1, not by the open graph's cost model").arg(costModel(inputs_.cost_model).title);
    if (!note.isEmpty() && !offered) note += tr(", which has no such mesh");
    answers_->setCostNote(note, offered);
}

void MeshView::chooseCosts(const QString& id) {
    MeshInputs inputs = inputs_;
    inputs.cost_model = id;
    edit(inputs, tr("Choose costs"));
}

void MeshView::connectForm() {
    connect(form_, &InputsForm::typed, this, [this](MeshField field, const QString& text) {
        MeshInputs inputs = inputs_;
        inputs.text(field) = text;
        edit(inputs, tr("Type"), static_cast<int>(field));
    });
    connect(form_, &InputsForm::dtypeChosen, this, [this](const QString& dtype) {
        MeshInputs inputs = inputs_;
        inputs.dtype = dtype;
        edit(inputs, tr("Choose %1").arg(dtype));
    });
    connect(form_, &InputsForm::stateEdited, this,
            [this](MeshField field, const ShardingState& state, const QString& text) {
                before_.reset();
                MeshInputs inputs = inputs_;
                inputs.text(field) = stateText(field, state);
                edit(inputs, text);
            });
    connect(form_, &InputsForm::statePreviewed, this, [this](MeshField field, const ShardingState& state) {
        if (!before_) before_ = comparison();
        MeshInputs inputs = inputs_;
        inputs.text(field) = stateText(field, state);
        evaluate(inputs, true);
    });
    connect(form_, &InputsForm::previewEnded, this, [this] {
        before_.reset();
        evaluate(inputs_, false);
    });
    connect(form_, &InputsForm::fitWanted, this, &MeshView::fitStates);
    for (const MeshField field : text_fields) form_->field(field).installEventFilter(this);
}

QString MeshView::stateText(MeshField field, const ShardingState& state) const {
    // In the notation that the user chose by writing in it.
    const std::optional<ShardingState>& was = field == MeshField::source ? question_.source : question_.target;
    const bool by_tensor = was && inputs_.text(field).trimmed().toStdString() == to_tensor_centric_text(*was) &&
                           to_tensor_centric_text(*was) != to_text(*was);
    return QString::fromStdString(by_tensor ? to_tensor_centric_text(state) : to_text(state));
}

void MeshView::edit(const MeshInputs& inputs, const QString& text, int merge) {
    if (inputs != inputs_) undo_.push(new Edit(*this, inputs, tr("Mesh: %1").arg(text), merge));
}

void MeshView::setInputs(const MeshInputs& inputs) {
    inputs_ = inputs;
    question_ = readInputs(inputs_);
    if (question_.source) last_source_ = *question_.source;
    if (question_.target) last_target_ = *question_.target;
    form_->show(inputs_, question_);
    showCosts();
    evaluate(inputs_, false);
    emit stateChanged();
}

void MeshView::fitStates() {
    if (!question_.mesh || !question_.tensor) return;
    MeshInputs inputs = inputs_;
    const int mesh_dims = question_.mesh->dims(), tensor_dims = question_.tensor->dims();
    if (!question_.source)
        inputs.source = QString::fromStdString(to_text(fittedState(last_source_, mesh_dims, tensor_dims)));
    if (!question_.target)
        inputs.target = QString::fromStdString(to_text(fittedState(last_target_, mesh_dims, tensor_dims)));
    edit(inputs, tr("Fit states"));
}

void MeshView::evaluate(const MeshInputs& inputs, bool tried) {
    const MeshQuestion question = tried ? readInputs(inputs) : question_;
    if (!question.complete()) {
        task_.cancel();
        if (tried) {
            const QString& source = question.problem(MeshField::source);
            return tell(source.isEmpty() ? question.problem(MeshField::target) : source, false);
        }
        return answers_->fail(tr("Paths come back when every field can be read."));
    }
    PathQuestion asked{*question.mesh, *question.tensor, *question.source, *question.target,
                       costModel(inputs.cost_model, links_)};
    task_.start([this, asked = std::move(asked), tried](std::stop_token stop) -> LatestTask::Delivery {
        try {
            std::optional<PathComparison> found = comparePaths(asked, stop);
            if (!found) return {};
            return [this, tried, shared = std::make_shared<const PathComparison>(std::move(*found))] {
                showComparison(shared, tried);
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { answers_->fail(reason); };
        }
    });
}

void MeshView::showComparison(std::shared_ptr<const PathComparison> comparison, bool tried) {
    std::vector<double> reference;
    if (tried && before_)
        for (const ComparedPath& path : before_->paths) reference.push_back(path.cost);
    answers_->show(comparison, std::move(reference));
    if (!tried) return;
    const CostModel& model = comparison->question.costs;
    const double cost = comparison->best().cost;
    const double difference = before_ ? cost - before_->best().cost : 0;
    QString verdict =
        tr("PyTorch %1 · optimal %2")
            .arg(formatCost(model, comparison->paths[PathComparison::executed].cost), formatCost(model, cost));
    if (std::isfinite(difference) && difference != 0)
        verdict += QStringLiteral(" (%1)").arg(formatCostDifference(model, difference));
    tell(verdict, difference < 0);
}

void MeshView::tell(const QString& verdict, bool better) {
    for (StateEditor* editor : {&form_->source(), &form_->target()})
        if (editor->board().dragging()) editor->board().setVerdict(verdict, better);
}

QString MeshView::pathAsText() const {
    return comparison() ? pathText(*comparison(), answers_->paths().path()) : QString();
}

void MeshView::copyPath() {
    const QString text = pathAsText();
    if (text.isEmpty()) return emit told(tr("There is no path to copy"));
    QApplication::clipboard()->setText(text);
    emit told(tr("Copied %1").arg(comparison()->paths[paths().path()].title));
}

void MeshView::askAndSave() {
    if (!comparison()) return emit told(tr("There is no path to save"));
    const QString stem = stem_ ? stem_() : QString();
    const QString kind = QStringLiteral("redistribution.svg");
    const QString file = QFileDialog::getSaveFileName(this, tr("Save path"), stem.isEmpty() ? kind : stem + u'.' + kind,
                                                      tr("Pictures and text (*.svg *.png *.txt)"));
    if (!file.isEmpty()) savePath(file);
}

void MeshView::savePath(const QString& file) {
    if (!comparison()) return emit told(tr("There is no path to save"));
    const QString suffix = QFileInfo(file).suffix().toLower();
    QString problem;
    if (suffix == u"png" || suffix == u"svg") {
        problem = savePathPicture(file, *comparison(), paths().path());
    } else {
        problem = exportFile(file, pathAsText().toUtf8());
    }
    emit told(problem.isEmpty() ? tr("Saved %1").arg(QFileInfo(file).fileName()) : problem);
}

QJsonObject MeshView::state() const {
    return {{"inputs", inputs_.toJson()},
            {"animated", answers_->stage().animated()},
            {"columns", columns_->state()},
            {"left", left_->state()},
            {"answers", QString::fromLatin1(answers_->saveState().toBase64())}};
}

void MeshView::restore(const QJsonObject& state) {
    if (state.isEmpty()) return;
    columns_->restore(state["columns"].toObject());
    left_->restore(state["left"].toObject());
    answers_->restoreState(QByteArray::fromBase64(state["answers"].toString().toLatin1()));
    stage().setAnimated(state["animated"].toBool(true));
    undo_.clear();
    setInputs(MeshInputs::fromJson(state["inputs"].toObject()));
}

/// Fields leave undo and redo to the window, whose actions say what they do: each text that was typed is an edit of the
/// view.
bool MeshView::eventFilter(QObject*, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    if (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo)) return false;
    event->ignore();
    return true;
}

}  // namespace overlap::ui
