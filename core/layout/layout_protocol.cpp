#include "core/layout/layout_protocol.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"

namespace overlap {
namespace {

constexpr std::string_view source = "layout helper";
constexpr std::size_t longest_message = 64u << 20;

[[noreturn]] void fail(const char* what) {
    throw InputError(std::string(source), "", what);
}

/// Reads numbers one after another.
class NumberReader {
  public:
    explicit NumberReader(std::string_view text) : text_(text) {}

    template <typename Number>
    Number next() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
        Number number{};
        const auto [behind, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
        if (error != std::errc{}) fail("a number is missing");
        text_.remove_prefix(static_cast<std::size_t>(behind - text_.data()));
        return number;
    }
    double coordinate() {
        const double number = next<double>();
        if (!std::isfinite(number)) fail("a coordinate is not finite");
        return number;
    }
    /// How many things follow, each at least two bytes long.
    std::size_t count() {
        const auto number = next<std::size_t>();
        if (number > text_.size() / 2 + 1) fail("a count is larger than the message");
        return number;
    }
    LayoutPoint point() {
        const double x = coordinate();
        return {x, coordinate()};
    }
    std::string_view rest() const { return text_.empty() ? text_ : text_.substr(1); }

  private:
    std::string_view text_;
};

class NumberWriter {
  public:
    template <typename Number>
    NumberWriter& add(Number number) {
        char digits[64];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        text_.append(digits, static_cast<std::size_t>(end - digits));
        text_ += ' ';
        return *this;
    }
    NumberWriter& add(LayoutPoint point) { return add(point.x).add(point.y); }
    NumberWriter& end_line() {
        text_.back() = '\n';
        return *this;
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

}  // namespace

std::string write_message(std::string_view body) {
    std::string message = std::to_string(body.size());
    message += '\n';
    message += body;
    return message;
}

bool take_message(std::string& buffer, std::string& body) {
    const std::size_t end = buffer.find('\n');
    if (end == std::string::npos) {
        if (buffer.size() > 20) fail("no length stands before a message");
        return false;
    }
    std::size_t length = 0;
    const auto [behind, error] = std::from_chars(buffer.data(), buffer.data() + end, length);
    if (error != std::errc{} || behind != buffer.data() + end || length > longest_message)
        fail("no length stands before a message");
    if (buffer.size() - end - 1 < length) return false;
    body = buffer.substr(end + 1, length);
    buffer.erase(0, end + 1 + length);
    return true;
}

std::string write_request(const LayoutRequest& request) {
    NumberWriter text;
    text.add(request.id).add(request.row_gap).add(request.box_gap);
    text.add(request.nodes.size()).add(request.edges.size()).end_line();
    for (const LayoutSize& node : request.nodes) text.add(node.width).add(node.height).end_line();
    for (const LevelGraph::Edge& edge : request.edges) text.add(edge.from).add(edge.to).add(edge.weight).end_line();
    return text.take();
}

LayoutRequest read_request(std::string_view body) {
    NumberReader text(body);
    LayoutRequest request;
    request.id = text.next<std::uint64_t>();
    request.row_gap = text.coordinate();
    request.box_gap = text.coordinate();
    const std::size_t nodes = text.count(), edges = text.count();
    for (std::size_t i = 0; i < nodes; ++i) {
        const LayoutPoint size = text.point();
        if (size.x <= 0 || size.y <= 0) fail("a box has no size");
        request.nodes.push_back({size.x, size.y});
    }
    for (std::size_t i = 0; i < edges; ++i) {
        LevelGraph::Edge edge;
        edge.from = text.next<std::uint32_t>();
        edge.to = text.next<std::uint32_t>();
        edge.weight = text.coordinate();
        if (edge.from >= nodes || edge.to >= nodes) fail("an edge ends at no box");
        request.edges.push_back(edge);
    }
    return request;
}

std::string write_answer(const LayoutAnswer& answer) {
    NumberWriter text;
    text.add(answer.id);
    if (!answer.problem.empty()) {
        std::string refusal = text.add(0).end_line().take();
        refusal += answer.problem;
        return refusal;
    }
    text.add(1).add(answer.size.width).add(answer.size.height);
    text.add(answer.positions.size()).add(answer.routes.size()).end_line();
    for (const LayoutPoint& position : answer.positions) text.add(position).end_line();
    for (const auto& route : answer.routes) {
        text.add(route.size());
        for (const LayoutPoint& point : route) text.add(point);
        text.end_line();
    }
    return text.take();
}

LayoutAnswer read_answer(std::string_view body) {
    NumberReader text(body);
    LayoutAnswer answer;
    answer.id = text.next<std::uint64_t>();
    if (text.next<int>() == 0) {
        answer.problem = text.rest();
        return answer;
    }
    const LayoutPoint size = text.point();
    answer.size = {size.x, size.y};
    answer.positions.resize(text.count());
    answer.routes.resize(text.count());
    for (LayoutPoint& position : answer.positions) position = text.point();
    for (auto& route : answer.routes) {
        route.resize(text.count());
        for (LayoutPoint& point : route) point = text.point();
    }
    return answer;
}

}  // namespace overlap
