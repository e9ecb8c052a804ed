#include "ui/panels/graph_chooser.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QTreeWidget>

#include "core/views/process_groups.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

constexpr int width_px = 880;
constexpr int height_px = 580;
constexpr int most_note_lines = 5;
constexpr int graph_role = Qt::UserRole;

enum Column {
    number_column,
    file_column,
    rank_column,
    compilation_column,
    kind_column,
    nodes_column,
    collectives_column,
    compiled_column,
    chooser_columns
};

QString text(const std::string& string) {
    return QString::fromStdString(string);
}

QString joined(const std::set<std::string>& names, const QString& ending) {
    QStringList items;
    for (const std::string& name : names) items.append(shownName(text(name)) + ending);
    return items.join(u' ');
}

QTreeWidgetItem* rowOf(const ImportableGraph& graph, int index) {
    auto* row = new QTreeWidgetItem;
    const bool can_be_read = graph.problem.empty();
    row->setText(number_column, QString::number(index + 1));
    row->setText(file_column, shownName(QFileInfo(text(graph.file)).fileName()));
    row->setText(rank_column, graph.rank ? QString::number(*graph.rank) : QString());
    row->setText(compilation_column, shownName(text(graph.compile_id)));
    row->setText(kind_column, shownName(text(graph.kind)));
    row->setText(nodes_column, can_be_read ? formatCount(graph.nodes) : QString());
    row->setText(collectives_column, can_be_read ? formatCount(graph.collectives) : QString());
    row->setText(compiled_column, shownName(text(can_be_read ? graph.label : graph.problem)));
    row->setToolTip(compiled_column, row->text(compiled_column));
    row->setToolTip(file_column, shownName(text(graph.file)));
    row->setData(number_column, graph_role, index);
    for (const Column column : {number_column, rank_column, nodes_column, collectives_column})
        row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    if (!can_be_read) row->setFlags(Qt::NoItemFlags);
    return row;
}

/// What an import knows of a graph, and what it lacks.
QString howItStands(const LoadedGraph& open, const ImportableGraph& listed) {
    const GraphHeader& header = open.graph->header();
    const ImportGaps& gaps = open.gaps;
    QStringList parts;
    for (const std::string& name : listed.groups) {
        const ProcessGroup* group = header.process_group(name);
        parts.append(
            GraphChooser::tr("group %1: %2")
                .arg(text(name), group ? text(ranks_text(group->ranks)) : GraphChooser::tr("ranks not known")));
    }
    if (gaps.rank) parts.append(GraphChooser::tr("rank not told"));
    if (header.rank) parts.append(GraphChooser::tr("rank %1").arg(*header.rank));
    if (gaps.world_size) parts.append(GraphChooser::tr("world size not told"));
    if (header.world_size)
        parts.append(
            countedText(*header.world_size, GraphChooser::tr("%1 rank in all"), GraphChooser::tr("%1 ranks in all")));
    if (!gaps.symbols.empty())
        parts.append(GraphChooser::tr("symbols without a value: %1").arg(joined(gaps.symbols, {})));
    if (gaps.inputs > 0)
        parts.append(countedText(gaps.inputs, GraphChooser::tr("%1 input without a tensor"),
                                 GraphChooser::tr("%1 inputs without a tensor")));
    else if (gaps.without_tensors > 0)
        parts.append(countedText(gaps.without_tensors, GraphChooser::tr("%1 node without a tensor"),
                                 GraphChooser::tr("%1 nodes without a tensor")));
    if (gaps.empty()) parts.append(GraphChooser::tr("nothing is missing"));
    return shownName(GraphChooser::tr("Now: %1").arg(parts.join(QStringLiteral(" · "))));
}

}  // namespace

GraphChooser::GraphChooser(GraphChoice choice, QWidget* parent)
    : QDialog(parent),
      choice_(std::move(choice)),
      search_(new QLineEdit),
      list_(new QTreeWidget),
      notes_(new QPlainTextEdit),
      groups_(new QLineEdit),
      rank_(new QLineEdit),
      world_size_(new QLineEdit),
      symbols_(new QLineEdit),
      tensors_(new QLineEdit),
      standing_(new QLabel),
      alone_(new QLabel),
      form_(new QFormLayout),
      problem_(new QLabel),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel)) {
    setObjectName("graphChooser");
    setWindowTitle(tr("Choose a graph"));
    search_->setPlaceholderText(tr("Search graphs"));
    search_->setAccessibleName(tr("Search graphs"));
    search_->setClearButtonEnabled(true);
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    problem_->setVisible(false);
    standing_->setWordWrap(true);
    standing_->setTextFormat(Qt::PlainText);
    standing_->setAccessibleName(tr("How the graph stands now"));
    alone_->setObjectName("worldSizeAlone");
    alone_->setWordWrap(true);
    alone_->setProperty("role", "dim");
    alone_->setText(
        tr("A world size alone gives no group its ranks: the rank is needed, too. Then a group of as many ranks has "
           "them all"));
    alone_->hide();
    fillList();
    fillNotes();
    addFields(*form_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(search_);
    layout->addWidget(list_, 1);
    layout->addWidget(problem_);  // it takes its room from the list: no field moves when it comes or goes
    layout->addWidget(notes_);
    layout->addWidget(standing_);
    layout->addLayout(form_);
    layout->addWidget(buttons_);
    connect(search_, &QLineEdit::textChanged, this, &GraphChooser::filter);
    connect(list_, &QTreeWidget::currentItemChanged, this, &GraphChooser::showNeeds);
    connect(list_, &QTreeWidget::itemDoubleClicked, this, &GraphChooser::accept);
    connect(buttons_, &QDialogButtonBox::accepted, this, &GraphChooser::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &GraphChooser::reject);
    resize(QSize(width_px, height_px).boundedTo(parent ? parent->window()->size() : screen()->availableSize()));
    showNeeds();
    list_->setFocus();
}

void GraphChooser::fillList() {
    list_->setAccessibleName(tr("Graphs"));
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAllColumnsShowFocus(true);
    list_->setColumnCount(chooser_columns);
    list_->setHeaderLabels({tr("#"), tr("File"), tr("Rank"), tr("Compilation"), tr("Kind"), tr("Nodes"),
                            tr("Collectives"), tr("What was compiled")});
    const auto& graphs = choice_.listing.graphs;
    bool has_ranks = false;
    bool has_compilations = false;
    for (std::size_t index = 0; index < graphs.size(); ++index) {
        list_->addTopLevelItem(rowOf(graphs[index], static_cast<int>(index)));
        has_ranks = has_ranks || graphs[index].rank;
        has_compilations = has_compilations || !graphs[index].compile_id.empty();
    }
    const bool has_files = !graphs.empty() && graphs.front().file != graphs.back().file;
    list_->setColumnHidden(file_column, !has_files);
    list_->setColumnHidden(rank_column, !has_ranks);
    list_->setColumnHidden(compilation_column, !has_compilations);
    for (int column = 0; column < chooser_columns; ++column) list_->resizeColumnToContents(column);
    if (const auto best = most_useful_graph(choice_.listing)) {
        list_->setCurrentItem(list_->topLevelItem(static_cast<int>(*best)));
        list_->scrollToItem(list_->currentItem());
    }
}

void GraphChooser::fillNotes() {
    QStringList lines;
    // What differs comes first: it is what the user has to know.
    for (const bool differs : {true, false})
        for (const std::string& sentence : choice_.ranks)
            if ((sentence.find(": the same on ranks") == std::string::npos) == differs) lines.append(text(sentence));
    for (const std::string& note : choice_.listing.notes) lines.append(text(note));
    notes_->setPlainText(shownLines(lines.join(u'\n')));
    notes_->setReadOnly(true);
    notes_->setTabChangesFocus(true);
    notes_->setAccessibleName(tr("Notes of reading, and how the ranks compare"));
    notes_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    const int shown = std::clamp<int>(static_cast<int>(lines.size()) + 1, 2, most_note_lines);
    notes_->setFixedHeight(shown * QFontMetrics(textFont()).lineSpacing() + 12);
    notes_->setVisible(!lines.isEmpty());
}

void GraphChooser::addFields(QFormLayout& form) {
    groups_->setClearButtonEnabled(true);
    symbols_->setClearButtonEnabled(true);
    rank_->setPlaceholderText(tr("whose graph it is"));
    world_size_->setPlaceholderText(tr("ranks of the job, where its graph has a group of all"));
    tensors_->setPlaceholderText(tr("JSON file with the tensors that the text does not give"));
    form.addRow(tr("Process &groups"), groups_);
    auto* ranks = new QHBoxLayout;
    ranks->addWidget(rank_, 1);
    ranks->addWidget(new QLabel(tr("&World size")));
    ranks->addWidget(world_size_, 2);
    static_cast<QLabel*>(ranks->itemAt(1)->widget())->setBuddy(world_size_);
    form.addRow(tr("&Rank"), ranks);
    form.addRow(alone_);
    for (const QLineEdit* field : {rank_, world_size_})
        connect(field, &QLineEdit::textChanged, this, &GraphChooser::showWhatIsAlone);
    if (auto* label = qobject_cast<QLabel*>(form.labelForField(ranks))) label->setBuddy(rank_);
    form.addRow(tr("&Symbols"), symbols_);
    auto* browse = new QPushButton(tr("&Browse…"));
    browse->setAutoDefault(false);
    connect(browse, &QPushButton::clicked, this, &GraphChooser::askForTensors);
    auto* row = new QHBoxLayout;
    row->addWidget(tensors_, 1);
    row->addWidget(browse);
    form.addRow(tr("&Tensor table"), row);
    if (auto* label = qobject_cast<QLabel*>(form.labelForField(row))) label->setBuddy(tensors_);
    rank_->setAccessibleName(tr("Rank"));
    world_size_->setAccessibleName(tr("World size"));
}

void GraphChooser::askForTensors() {
    const QString folder = QFileInfo(source().file).absolutePath();
    const QString file = QFileDialog::getOpenFileName(this, tr("Tensor table"), folder, tr("Tables (*.json)"));
    if (!file.isEmpty()) tensors_->setText(file);
}

void GraphChooser::filter() {
    const QStringList words = search_->text().split(u' ', Qt::SkipEmptyParts);
    QTreeWidgetItem* first = nullptr;
    for (int row = 0; row < list_->topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = list_->topLevelItem(row);
        QString all;
        for (int column = 0; column < chooser_columns; ++column) all += item->text(column) + u' ';
        const bool has_all =
            std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
        item->setHidden(!has_all);
        if (has_all && !first && item->flags() != Qt::NoItemFlags) first = item;
    }
    if (!list_->currentItem() || list_->currentItem()->isHidden()) list_->setCurrentItem(first);
}

int GraphChooser::chosenGraph() const {
    const QTreeWidgetItem* item = list_->currentItem();
    return item && !item->isHidden() ? item->data(number_column, graph_role).toInt() : -1;
}

void GraphChooser::showNeeds() {
    problem_->setVisible(false);
    const int index = chosenGraph();
    setAvailable(*buttons_->button(QDialogButtonBox::Open), index >= 0 ? QString() : tr("Choose a graph first"));
    if (index < 0) return;
    const ImportableGraph& graph = choice_.listing.graphs[static_cast<std::size_t>(index)];
    const bool is_open = choice_.source(static_cast<std::size_t>(index)).key() == open_;
    fillIn(is_open ? open_told_ : Told());
    standing_->setText(is_open ? open_stands_ : QString());
    standing_->setHidden(standing_->text().isEmpty());
    const QString group_names = joined(graph.groups, QStringLiteral("=0,1,…"));
    groups_->setPlaceholderText(group_names.isEmpty() ? tr("the graph has no collectives") : group_names);
    const QString without_groups = graph.groups.empty() ? tr("The graph has no collectives") : QString();
    for (QLineEdit* field : {groups_, rank_, world_size_}) setAvailable(*field, without_groups);
    symbols_->setPlaceholderText(graph.symbols.empty() ? tr("all sizes are numbers")
                                                       : joined(graph.symbols, QStringLiteral("=…")));
    setAvailable(*symbols_, graph.symbols.empty() ? tr("All sizes of the graph are numbers") : QString());
    showWhatIsAlone();
}

void GraphChooser::showWhatIsAlone() {
    const int index = chosenGraph();
    const bool known = index >= 0 && choice_.listing.graphs[static_cast<std::size_t>(index)].rank.has_value();
    const GraphSource told = source();
    const bool alone = !told.world_size.isEmpty() && told.rank.isEmpty() && !known;
    alone_->setVisible(alone);
    world_size_->setAccessibleDescription(alone ? alone_->text() : QString());
}

GraphSource GraphChooser::source() const {
    const int index = chosenGraph();
    if (index < 0) return {};
    GraphSource source = choice_.source(static_cast<std::size_t>(index));
    const auto told = [](const QLineEdit* field) { return field->isEnabled() ? field->text().trimmed() : QString(); };
    source.groups = told(groups_);
    source.rank = told(rank_);
    source.world_size = told(world_size_);
    source.symbols = told(symbols_);
    source.tensors = told(tensors_);
    return source;
}

void GraphChooser::startFrom(const LoadedGraph& open) {
    for (std::size_t index = 0; index < choice_.listing.graphs.size(); ++index) {
        if (choice_.source(index).key() != open.path) continue;
        open_ = open.path;
        open_stands_ = howItStands(open, choice_.listing.graphs[index]);
        const GraphSource& told = open.source;
        open_told_ = {told.groups, told.rank, told.world_size, told.symbols, told.tensors};
        list_->setCurrentItem(list_->topLevelItem(static_cast<int>(index)));
        showNeeds();
        if (groups_->isEnabled()) groups_->setFocus();
        return;
    }
}

void GraphChooser::fillIn(const Told& told) {
    const std::array fields{groups_, rank_, world_size_, symbols_, tensors_};
    for (std::size_t field = 0; field < fields.size(); ++field)
        if (fields[field]->text() == filled_in_[field]) fields[field]->setText(told[field]);
    filled_in_ = told;
}

QString GraphChooser::standing() const {
    return standing_->text();
}

QString GraphChooser::notes() const {
    return notes_->toPlainText();
}

void GraphChooser::showProblem(const QString& reason) {
    problem_->setText(shownLines(reason));
    QPalette palette = problem_->palette();
    palette.setColor(QPalette::WindowText, currentTheme().asText(currentTheme().exposed));
    problem_->setPalette(palette);
    problem_->setVisible(true);
}

void GraphChooser::accept() {
    if (chosenGraph() < 0) return;
    problem_->setVisible(false);
    emit chosen(source());
}

}  // namespace overlap::ui
