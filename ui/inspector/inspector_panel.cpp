#include "ui/inspector/inspector_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTimer>
#include <algorithm>
#include <memory>

#include "core/advice/named_moves.h"
#include "core/explain/explain.h"
#include "core/explain/explain_schedule.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/memory/memory_effects.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int search_delay_ms = 200;

QString colour(Tone tone) {
    const Theme& theme = currentTheme();
    switch (tone) {
        case Tone::hidden:
            return theme.asText(theme.hidden).name();
        case Tone::exposed:
            return theme.asText(theme.exposed).name();
        case Tone::caution:
            return theme.asText(theme.caution).name();
        case Tone::faint:
            return theme.dim.name();
        case Tone::plain:
            break;
    }
    return theme.text.name();
}

/// @param links counts the links, which stand as their numbers: names are no addresses.
QString html(const InspectorPiece& piece, int& links) {
    // Rich text takes every other space for one that breaks.
    const QString body = shownName(piece.text).toHtmlEscaped().replace(thinSpace, QChar(QChar::Nbsp));
    if (piece.link.isEmpty()) return QStringLiteral("<span style='color:%1'>%2</span>").arg(colour(piece.tone), body);
    QStringList lines;
    for (const QString& line : piece.tip) lines.append(shownName(line).toHtmlEscaped().toHtmlEscaped());
    const QString tip =
        lines.isEmpty() ? QString() : QStringLiteral(" title=\"%1\"").arg(lines.join(QStringLiteral("&lt;br&gt;")));
    return QStringLiteral("<a href='%1' style='color:%2; text-decoration:none'%4>%3</a>")
        .arg(QString::number(links++), currentTheme().asText(currentTheme().accent).name(), body, tip);
}

/// Of the column of labels, each of which is one line.
int labelsWidth(const InspectorContent& content) {
    constexpr int narrowest = 104, gap = 12;
    const QFontMetrics metrics(textFont());
    int width = narrowest;
    for (const InspectorRow& row : content.rows)
        if (!row.block) width = std::max(width, metrics.horizontalAdvance(shownName(row.label)) + gap);
    return width;
}

QString html(const InspectorRow& row, int labels_width, int& links) {
    // Links stand one below the other; figures follow in a line of their own.
    QString value;
    for (std::size_t i = 0; i < row.pieces.size(); ++i) {
        const bool after_link = i > 0 && !row.pieces[i - 1].link.isEmpty();
        if (i > 0)
            value += after_link || !row.pieces[i].link.isEmpty() ? QStringLiteral("<br>") : QStringLiteral(" · ");
        value += html(row.pieces[i], links);
    }
    if (row.block) return QStringLiteral("<tr><td colspan='2' style='padding:2px 0 6px 0'>%1</td></tr>").arg(value);
    return QStringLiteral(
               "<tr><td width='%4' style='padding:2px 12px 2px 0; color:%1'>%2</td><td style='padding:2px "
               "0'>%3</td></tr>")
        .arg(currentTheme().dim.name(), shownName(row.label).toHtmlEscaped().replace(u' ', QStringLiteral("&nbsp;")),
             value, QString::number(labels_width));
}

QString linkAt(const InspectorContent& content, int number) {
    for (const InspectorRow& row : content.rows)
        for (const InspectorPiece& piece : row.pieces)
            if (!piece.link.isEmpty() && number-- == 0) return piece.link;
    return {};
}

/// The collective of a page where it is exposed.
std::optional<std::size_t> exposedCollective(const Evaluation& evaluation, const InspectorContent& content) {
    if (content.collective < 0) return std::nullopt;
    const auto collective = static_cast<std::size_t>(content.collective);
    return evaluation.simulation.collectives[collective].exposed_ms > 0 ? std::optional(collective) : std::nullopt;
}

}  // namespace

QString inspectorHtml(const InspectorContent& content) {
    if (content.title.isEmpty())
        return QStringLiteral("<p style='color:%1'>%2</p>")
            .arg(currentTheme().dim.name(),
                 InspectorPanel::tr("Select a module, a bucket or anything in the timeline"));
    QString rows;
    int links = 0;
    const int labels_width = labelsWidth(content);
    for (const InspectorRow& row : content.rows) rows += html(row, labels_width, links);
    return QStringLiteral(
               "<table cellspacing='0' width='100%'><tr><td colspan='2' style='font-family:\"%1\"; padding:0 0 8px "
               "0'>%2</td></tr>%3</table>")
        .arg(codeFont().family(), shownName(content.title).toHtmlEscaped(), rows);
}

InspectorPanel::InspectorPanel(Document& document, QWidget* parent) : QTextBrowser(parent), document_(document) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setObjectName("inspector");
    setAccessibleName(tr("Inspector"));
    this->document()->setDocumentMargin(12);
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        const QString link = linkAt(content_, url.path().toInt());
        if (link == inspector_advice_link) return emit adviceWanted();
        if (const QString reason = followInspectorLink(document_, link); !reason.isEmpty()) emit refused(reason);
    });
    connect(&document.selection(), &Selection::changed, this, [this] {
        instead_.reset();
        scheduleUpdate();
    });
    for (const auto signal : {&Document::evaluationChanged, &Document::planChanged, &Document::modulesChanged,
                              &Document::moduleFiguresChanged})
        connect(&document, signal, this, &InspectorPanel::scheduleUpdate);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &InspectorPanel::scheduleUpdate);
    connect(&watch_, &SeenWatch::seen, this, &InspectorPanel::scheduleUpdate);
    search_delay_.setSingleShot(true);
    search_delay_.setInterval(search_delay_ms);
    connect(&search_delay_, &QTimer::timeout, this, &InspectorPanel::searchExposure);
    showContent();
}

void InspectorPanel::showInstead(std::optional<InspectorContent> content) {
    instead_ = std::move(content);
    showContent();
}

void InspectorPanel::scheduleUpdate() {
    // One edit changes plan, evaluation and selection; the page is made once.
    if (std::exchange(scheduled_, true)) return;
    QTimer::singleShot(0, this, &InspectorPanel::showContent);
}

void InspectorPanel::showContent() {
    scheduled_ = false;
    content_ = instead_ ? *instead_ : inspect(document_);
    addExposure();
    addMemory();
    setHtml(inspectorHtml(content_));
}

void InspectorPanel::addExposure() {
    const Selection& selection = document_.selection();
    const auto evaluation = shownEvaluation(document_);
    const bool possible = !instead_ && selection.kind() == Selection::Kind::node && document_.editable() &&
                          evaluation && !document_.current()->stale();
    if (!possible) {
        explained_.reset();
        search_delay_.stop();
        search_.cancel();
        return;
    }
    if (explained_ != evaluation || explained_node_ != selection.node()) {
        explained_ = evaluation;
        explained_node_ = selection.node();
        exposed_ = exposedCollective(*evaluation, content_);
        exposure_.clear();
        search_.cancel();
        search_delay_.stop();
        if (exposed_ || scheduler_leaves_exposed(*evaluation, selection.node().toStdString())) search_delay_.start();
    }
    // Behind the other sentences that say why it is as it is; a faint one is a heading of the figures.
    const auto says_why = [](const InspectorRow& row) {
        return row.block && !row.pieces.empty() && row.pieces.front().tone != Tone::faint;
    };
    auto place = std::find_if(content_.rows.rbegin(), content_.rows.rend(), says_why).base();
    const auto add = [&](const QString& sentence, Tone tone) {
        const InspectorRow row{{}, {{withUnbrokenUnits(sentence), {}, tone}}, true};
        place = std::next(content_.rows.insert(place, row));
    };
    for (const std::string& sentence : exposure_) add(QString::fromStdString(sentence), Tone::plain);
    if (search_delay_.isActive() || search_.busy()) add(tr("Trying what would help …"), Tone::faint);
}

void InspectorPanel::showMemoryEffects(MemoryEffects& effects) {
    memory_ = &effects;
    connect(&effects, &MemoryEffects::changed, this, &InspectorPanel::scheduleUpdate);
    scheduleUpdate();
}

void InspectorPanel::addMemory() {
    if (!memory_ || instead_ || !document_.isOpen() || !watch_.isSeen()) return;
    memory_->find();
    std::vector<InspectorRow> rows = memoryRows(*memory_, *document_.graph(), document_.selection());
    if (rows.empty()) return;
    const QString heading = document_.selection().kind() == Selection::Kind::modules
                                ? tr("What memory rules of %1 would change:").arg(memory_->target()->title())
                                : tr("What memory rules would change:");
    rows.insert(rows.begin(), {{}, {{heading, {}, Tone::faint}}, true});
    const auto place = std::ranges::find(content_.rows, tr("inputs"), &InspectorRow::label);
    content_.rows.insert(place, rows.begin(), rows.end());
}

void InspectorPanel::searchExposure() {
    if (!explained_ || !document_.isOpen()) return;
    search_.start([this, evaluation = explained_, exposed = exposed_,
                   node = explained_node_.toStdString()](std::stop_token stop) -> LatestTask::Delivery {
        std::vector<std::string> found;
        if (exposed) found = evaluated_moves(evaluation, *exposed, RefusedMoves::left_out, stop);
        for (std::string& sentence : explain_exposure(*evaluation, node, stop)) found.push_back(std::move(sentence));
        return [this, found = std::move(found)] {
            exposure_ = found;
            showContent();
        };
    });
}

void InspectorPanel::contextMenuEvent(QContextMenuEvent* event) {
    const std::unique_ptr<QMenu> menu(createStandardContextMenu(event->pos()));
    menu->addSeparator();
    menu->addAction(tr("Copy all"), this, [this] { QApplication::clipboard()->setText(plainText(content_)); });
    menu->exec(event->globalPos());
}

}  // namespace overlap::ui
