#include "ui/document/module_mime.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace overlap::ui {

QMimeData* moduleMimeData(const QStringList& paths) {
    auto* data = new QMimeData;
    data->setData(module_mime_type, QJsonDocument(QJsonArray::fromStringList(paths)).toJson(QJsonDocument::Compact));
    data->setText(paths.join(u'\n'));
    return data;
}

QStringList modulesOf(const QMimeData* data) {
    QStringList paths;
    if (!data || !data->hasFormat(module_mime_type)) return paths;
    for (const QJsonValue value : QJsonDocument::fromJson(data->data(module_mime_type)).array())
        paths.append(value.toString());
    paths.removeAll(QString());
    return paths;
}

}  // namespace overlap::ui
