#pragma once

#include <QString>
#include <functional>

class QObject;

namespace overlap::ui {

class Document;

/// Why there is nothing to show or to edit while no graph is open: none is, or one is being read. Without full stop.
QString noGraphOpen(const Document& document);

/// Calls `update` whenever noGraphOpen() has become another, as long as `context` lives.
void whenReadingChanges(Document& document, QObject* context, const std::function<void()>& update);

}  // namespace overlap::ui
