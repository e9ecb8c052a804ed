// libFuzzer target: any bytes are no session, or one that is written as a text that reads back the same.

#include "core/base/error.h"
#include "tests/fuzz/fuzz_target.h"
#include "ui/session/session_state.h"

namespace {

/// What was told beside a graph is understood or refused. Its table of tensors is a file, which is nobody's to open
/// here.
void understand(overlap::ui::GraphSource source) {
    source.tensors.clear();
    try {
        source.options();
    } catch (const overlap::InputError&) {
        // Refused, with a sentence.
    }
}

}  // namespace

void overlap::fuzz::run(std::string_view input) {
    using namespace overlap::ui;
    const QByteArray bytes = QByteArray::fromRawData(input.data(), static_cast<qsizetype>(input.size()));
    const std::optional<SessionState> read = readSessionText(bytes).state;
    if (!read) return;
    const QByteArray text = sessionText(*read);
    const std::optional<SessionState> again = readSessionText(text).state;
    require(again && sessionText(*again) == text, "a session was read back as another one");

    SessionState other;
    other.adopt(*read);
    require(other.documents.size() <= read->documents.size(), "more documents were taken over than there are");
    for (const SessionDocument& document : read->documents) {
        understand(document.source);
        other.put(document);
        require(other.document(document.graph) != nullptr, "a document that was put is not there");
    }
}
