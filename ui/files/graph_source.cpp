#include "ui/files/graph_source.h"

#include <QFile>
#include <QRegularExpression>

#include "core/base/error.h"
#include "core/imports/tensor_table.h"
#include "core/imports/told_options.h"

namespace overlap::ui {
namespace {

/// Items between blanks or semicolons.
QStringList items(const QString& text) {
    static const QRegularExpression between(QStringLiteral("[\\s;]+"));
    return text.split(between, Qt::SkipEmptyParts);
}

}  // namespace

QString GraphSource::key() const {
    return number == 0 ? file : file + u'#' + QString::number(number);
}

ImportOptions GraphSource::options() const {
    ImportOptions options;
    if (!world_size.trimmed().isEmpty()) {
        bool is_number = false;
        options.world_size = world_size.trimmed().toInt(&is_number);
        if (!is_number || *options.world_size < 1)
            throw InputError("", "World size", "expected a number of ranks, found " + world_size.toStdString());
    }
    for (const QString& group : items(groups))
        options.process_groups.push_back(told_process_group(group.toStdString(), "Process groups"));
    for (const QString& symbol : items(symbols)) options.symbols.insert(told_symbol(symbol.toStdString(), "Symbols"));
    if (!tensors.isEmpty())
        options.tensors = read_tensor_table(QFile::encodeName(tensors).toStdString(), options.symbols);
    return options;
}

QJsonObject GraphSource::toJson() const {
    return {{"file", file},       {"number", number},         {"groups", groups},
            {"symbols", symbols}, {"world_size", world_size}, {"tensors", tensors}};
}

GraphSource GraphSource::fromJson(const QJsonObject& json) {
    GraphSource source(json["file"].toString());
    source.number = json["number"].toInt();
    source.groups = json["groups"].toString();
    source.symbols = json["symbols"].toString();
    source.world_size = json["world_size"].toString();
    source.tensors = json["tensors"].toString();
    return source;
}

QString fileOfGraph(const QString& key) {
    static const QRegularExpression number(QStringLiteral("#\\d+$"));
    return key.contains(number) && !QFile::exists(key) ? QString(key).remove(number) : key;
}

}  // namespace overlap::ui
