// What the board says below its field, of what was typed or dropped; a part of BucketBoard.
#include <QLabel>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "core/modules/nearest_module.h"
#include "ui/document/document.h"
#include "ui/document/module_names.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/module_paths.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/standard_strings.h"

namespace overlap::ui {
namespace {

constexpr int message_ms = 8000;

}  // namespace

/// A name that is misspelt makes a card all the same, as PyTorch takes it. Problems and the Inspector say more, where
/// there is room for them.
void BucketBoard::tellAdded(std::size_t first, const QString& left_out) {
    std::vector<std::string> names;
    for (std::size_t bucket = first; bucket < document_.buckets().size(); ++bucket)
        for (const std::string& module : document_.buckets()[bucket].modules)
            if (document_.modules().find(module) == ModuleTree::no_module) names.push_back(module);
    if (names.empty()) {
        if (left_out.isEmpty()) return;
        tell(left_out);
        told_of_edit_ = true;
        return;
    }
    const QStringList unknown = textsOf(names), shown = shortNames(unknown);
    QString told =
        tr("No module of this graph is called %1, and PyTorch ignores such names").arg(shown.join(tr(" or ")));
    // Of several nobody would know which of them it is about.
    const QStringList there = shown.size() == 1 ? blocksLike(document_.modules(), unknown.front()) : QStringList();
    if (!there.isEmpty())
        told += tr("; it has %1").arg(shortNames(there).join(QStringLiteral(", ")));
    else if (names.size() == 1)
        for (const std::string& nearest : nearest_modules(document_.modules(), names.front(), 1))
            told += tr("; nearest: %1").arg(QString::fromStdString(nearest));
    tell(left_out.isEmpty() ? told : told + u'\n' + left_out);
    told_unknown_ = std::move(names);
}

void BucketBoard::forgetUnknown() {
    if (told_of_edit_) {
        told_of_edit_ = false;
        message_->hide();
    }
    if (told_unknown_.empty()) return;
    for (const BucketEntry& entry : document_.buckets())
        for (const std::string& module : entry.modules)
            if (std::ranges::find(told_unknown_, module) != told_unknown_.end()) return;
    told_unknown_.clear();
    message_->hide();
}

void BucketBoard::tell(const QString& reason) {
    told_unknown_.clear();
    told_of_edit_ = false;
    message_->setText(shownLines(reason));
    message_->show();
    QTimer::singleShot(message_ms, message_, [this, shown = message_->text()] {
        if (message_->text() == shown) message_->hide();
    });
    emit refused(reason);
}

}  // namespace overlap::ui
