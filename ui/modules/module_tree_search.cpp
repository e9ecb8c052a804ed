// Which rows of the tree have what is looked for; a part of ModuleTreeModel.
#include "ui/document/document.h"
#include "ui/edits/bucket_commands.h"
#include "ui/modules/module_tree_model.h"

namespace overlap::ui {

void ModuleTreeModel::setSearch(const QString& text_to_find) {
    search_ = text_to_find.trimmed();
    findRows();
    refresh(name_column, column_count - 1, matches_role);
}

void ModuleTreeModel::findRows() {
    found_.clear();
    if (search_.isEmpty()) return;
    std::vector<QModelIndex> next{QModelIndex()};  // not recursive: a file may nest modules as deeply as it likes
    while (!next.empty()) {
        const QModelIndex here = next.back();
        next.pop_back();
        if (here.isValid() && matches(here)) found_.emplace_back(here);
        for (int row = rowCount(here); row-- > 0;) next.push_back(index(row, name_column, here));
    }
}

bool ModuleTreeModel::matches(const QModelIndex& index) const {
    if (search_.isEmpty()) return true;
    const QModelIndex name = index.siblingAtColumn(name_column);
    auto contains = [&](const QString& where) { return where.contains(search_, Qt::CaseInsensitive); };
    if (contains(name.data(true_text_role).toString()) || contains(name.data(class_role).toString())) return true;
    // A dot says that a path is meant; without one every module below a match would match as well.
    if (search_.contains(u'.') && contains(name.data(path_role).toString())) return true;
    const int bucket = name.data(bucket_role).toInt();
    return bucket >= 0 && contains(BucketCommands(document_).title(bucket)) &&
           bucket_of_module_[modules_->module(static_cast<ModuleId>(name.internalId())).parent] < 0;
}

}  // namespace overlap::ui
