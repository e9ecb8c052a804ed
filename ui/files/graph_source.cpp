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

/// Nothing where nothing is written.
std::optional<std::int64_t> toldNumber(const QString& text, const char* place, int least, std::string expected) {
    if (text.trimmed().isEmpty()) return std::nullopt;
    bool is_number = false;
    const int number = text.trimmed().toInt(&is_number);
    if (!is_number || number < least) throw InputError("", place, expected.append(text.toStdString()));
    return number;
}

}  // namespace

QString GraphSource::key() const {
    return number == 0 ? file : file + u'#' + QString::number(number);
}

ImportOptions GraphSource::options() const {
    ImportOptions options;
    options.world_size = toldNumber(world_size, "World size", 1, "expected a number of ranks, found ");
    options.rank = toldNumber(rank, "Rank", 0, "expected a rank, found ");
    for (const QString& group : items(groups))
        options.process_groups.push_back(told_process_group(group.toStdString(), "Process groups"));
    for (const QString& symbol : items(symbols)) options.symbols.insert(told_symbol(symbol.toStdString(), "Symbols"));
    if (!tensors.isEmpty())
        options.tensors = read_tensor_table(QFile::encodeName(tensors).toStdString(), options.symbols);
    return options;
}

QJsonObject GraphSource::toJson() const {
    return {{"file", file}, {"number", number},         {"groups", groups},  {"symbols", symbols},
            {"rank", rank}, {"world_size", world_size}, {"tensors", tensors}};
}

GraphSource GraphSource::fromJson(const QJsonObject& json) {
    GraphSource source(json["file"].toString());
    source.number = json["number"].toInt();
    source.groups = json["groups"].toString();
    source.symbols = json["symbols"].toString();
    source.rank = json["rank"].toString();
    source.world_size = json["world_size"].toString();
    // Sessions of before a rank had a field of its own have it here: `3/8`.
    if (const qsizetype slash = source.world_size.indexOf(u'/'); slash >= 0) {
        source.rank = source.world_size.left(slash);
        source.world_size.remove(0, slash + 1);
    }
    source.tensors = json["tensors"].toString();
    return source;
}

QString fileOfGraph(const QString& key) {
    static const QRegularExpression number(QStringLiteral("#\\d+$"));
    return key.contains(number) && !QFile::exists(key) ? QString(key).remove(number) : key;
}

}  // namespace overlap::ui
