#include "core/run/issue_order.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/word_hash.h"

namespace overlap {

namespace {

std::string line_of(const Program& program, const CollectiveWork& collective) {
    std::string line(collective_kind_name(collective.kind));
    if (!collective.reduction.empty()) line += ' ' + collective.reduction;
    line += " on " + in_quotes(program.groups[collective.group].name);
    for (const Message& message : collective.messages) {
        line += ", ";
        line += dtype_info(message.dtype).name;
        line += ' ';
        line += std::to_string(message.input_elements);
        line += " to ";
        line += std::to_string(message.output_elements);
    }
    // Lines are separated by their ends; a group's name may hold anything.
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

std::string digest_of(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + '\n';
    return text_digest(all);
}

std::string issues(const std::vector<std::string>& lines, std::size_t index) {
    return index < lines.size() ? "issues " + lines[index] : std::string("issues nothing more");
}

std::string first_difference(const IssueOrder& expected, const IssueOrder& found, std::size_t rank) {
    const std::size_t shorter = std::min(expected.lines.size(), found.lines.size());
    std::size_t index = 0;
    while (index < shorter && expected.lines[index] == found.lines[index]) ++index;
    return "collective " + std::to_string(index + 1) + " differs: rank 0 " + issues(expected.lines, index) + "; rank " +
           std::to_string(rank) + ' ' + issues(found.lines, index);
}

}  // namespace

std::string text_digest(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    return hexadecimal(hash);
}

IssueOrder issue_order(const Program& program) {
    IssueOrder order;
    order.lines.reserve(program.collectives.size());
    for (const Command& command : program.commands) {
        if (command.kind != Command::Kind::collective) continue;
        order.lines.push_back(line_of(program, program.collectives[command.index]));
    }
    order.digest = digest_of(order.lines);
    return order;
}

std::string agreement_text(const RankAgreement& agreement) {
    std::string text = agreement.graph_digest + '\n' + agreement.order.digest + '\n';
    for (const std::string& line : agreement.order.lines) text += line + '\n';
    return text;
}

RankAgreement read_agreement(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) throw InputError("agreement of a rank", "the last line has no end");
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    if (lines.size() < 2) throw InputError("agreement of a rank", "expected two digests and a line a collective");
    RankAgreement agreement;
    agreement.graph_digest = lines[0];
    agreement.order.digest = lines[1];
    agreement.order.lines.assign(lines.begin() + 2, lines.end());
    return agreement;
}

std::string first_disagreement(const std::vector<RankAgreement>& ranks) {
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
        if (ranks[rank].order.lines != ranks[0].order.lines) {
            return first_difference(ranks[0].order, ranks[rank].order, rank);
        }
    }
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
        if (ranks[rank].graph_digest != ranks[0].graph_digest) {
            return "the graph of rank " + std::to_string(rank) + " (digest " + ranks[rank].graph_digest +
                   ") is not that of rank 0 (" + ranks[0].graph_digest +
                   "), although both issue the same collectives in the same order";
        }
    }
    return {};
}

}  // namespace overlap
