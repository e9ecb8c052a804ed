#include "core/imports/fx/fx_statements.h"

#include <array>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/text_place.h"

namespace overlap {
namespace {

using Kind = PythonExpressionKind;

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> binary_names = {{
    {"+", "add"},    {"-", "sub"},     {"*", "mul"},     {"/", "truediv"}, {"//", "floordiv"}, {"%", "mod"},
    {"**", "pow"},   {"<<", "lshift"}, {">>", "rshift"}, {"&", "and_"},    {"|", "or_"},       {"^", "xor"},
    {"@", "matmul"}, {"==", "eq"},     {"!=", "ne"},     {"<", "lt"},      {">", "gt"},        {"<=", "le"},
    {">=", "ge"},    {"+=", "iadd"},   {"-=", "isub"},   {"*=", "imul"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> further_in_place_names = {{
    {"/=", "itruediv"},
    {"//=", "ifloordiv"},
    {"%=", "imod"},
    {"@=", "imatmul"},
    {"**=", "ipow"},
    {"<<=", "ilshift"},
    {">>=", "irshift"},
    {"&=", "iand"},
    {"|=", "ior"},
    {"^=", "ixor"},
}};

std::string operator_target(std::string_view symbol) {
    for (const auto& [text, name] : binary_names) {
        if (text == symbol) return "operator." + std::string(name);
    }
    for (const auto& [text, name] : further_in_place_names) {
        if (text == symbol) return "operator." + std::string(name);
    }
    return {};
}

/// The operator as a graph names it: `torch.ops.aten.mm.default` is `aten.mm.default`.
std::string_view call_target(std::string_view printed) {
    constexpr std::string_view operators = "torch.ops.";
    constexpr std::string_view private_operators = "torch._ops.";
    if (printed.starts_with(operators)) return printed.substr(operators.size());
    if (printed.starts_with(private_operators)) return printed.substr(private_operators.size());
    return printed;
}

}  // namespace

FxStatements::FxStatements(std::string_view text, const FxFunction& function, const ImportOptions& options,
                           UntypedGraph& graph)
    : text_(text),
      options_(options),
      graph_(graph),
      tokens_(text, function.begin, text.size()),
      expressions_(tokens_),
      arguments_(graph.builder, tokens_, expressions_,
                 [this](std::string_view name, std::size_t offset) { return resolve(name, offset); }) {}

void FxStatements::note(std::string_view what, std::size_t offset, ImportNoteKind kind) {
    graph_.notes.add(what, graph_.notes.is_new(what) ? text_place(text_, offset) : std::string(), kind);
}

void FxStatements::read() {
    read_signature();
    while (read_line()) expressions_.clear();
}

void FxStatements::read_signature() {
    tokens_.expect("def");
    tokens_.expect(PythonTokenKind::name, "the name of a function");
    tokens_.expect("(");
    for (tokens_.skip_comments(); !tokens_.take_if(")"); tokens_.skip_comments()) read_parameter();
    if (tokens_.take_if("->")) expressions_.parse_item();
    tokens_.expect(":");
}

void FxStatements::read_parameter() {
    tokens_.take_if("*");
    tokens_.take_if("**");
    const PythonToken name = tokens_.expect(PythonTokenKind::name, "the name of a parameter");
    std::optional<std::string> annotation;
    if (tokens_.take_if(":")) {
        const Id type = expressions_.parse_item();
        if (expression(type).kind == Kind::string) annotation = expression(type).text;
    }
    std::optional<Id> default_value;
    if (tokens_.take_if("=")) default_value = expressions_.parse_item();
    if (!tokens_.take_if(",")) {
        tokens_.skip_comments();
        if (!tokens_.peek().is(")")) tokens_.fail_expected("a comma or )");
    }
    if (name.text == "self") return;
    UntypedNode& node = placeholder(name.text, name.offset);
    if (annotation) set_type(node, *annotation);
    if (default_value) set_arguments(node, std::array{arguments_.value(*default_value)});
    if (tokens_.peek().kind == PythonTokenKind::comment) {  // what the parameter is: `# PlainAOTInput(idx=0)`
        if (const auto comment = parse_fx_comment(tokens_.peek().text)) {
            node.metadata.extra_json = builder().intern(comment->details_json);
        }
    }
}

UntypedNode& FxStatements::placeholder(std::string_view name, std::size_t offset) {
    UntypedNode node;
    node.offset = offset;
    set_target(node, NodeOp::placeholder, name);
    add(std::move(node), name);
    return graph_.nodes.back();
}

bool FxStatements::read_line() {
    const PythonToken next = tokens_.peek();
    switch (next.kind) {
        case PythonTokenKind::end:
            tokens_.fail(next.offset, "the text ends inside the function, before its return");
        case PythonTokenKind::newline:
            tokens_.take();
            return true;
        case PythonTokenKind::comment:
            see_comment(tokens_.take());
            return true;
        case PythonTokenKind::string:  // torch.fx prints what it knows of a node so when asked for all of it
            tokens_.take();
            note("a text between the statements has nothing that a graph keeps", next.offset);
            return true;
        default:
            break;
    }
    if (next.is("return")) {
        read_return();
        return false;
    }
    if (next.is("pass")) {
        tokens_.take();
        return true;
    }
    if (next.is("def") || next.is("class")) {
        tokens_.fail(next.offset, "the function ends without a return");
    }
    read_statement();
    while (tokens_.take_if(";")) {
        if (tokens_.peek().kind != PythonTokenKind::newline) read_statement();
    }
    tokens_.skip_comments();
    if (tokens_.peek().kind != PythonTokenKind::end && tokens_.peek().kind != PythonTokenKind::newline) {
        tokens_.fail_expected("the end of the statement");
    }
    return true;
}

void FxStatements::see_comment(const PythonToken& comment) {
    if (auto parsed = parse_fx_comment(comment.text)) {
        if (parsed->is_cut) note("an annotation was cut by torch.fx, which prints 40 characters", comment.offset);
        comment_ = std::move(parsed);
    }
}

void FxStatements::read_statement() {
    const Id target = expressions_.parse();
    const PythonToken next = tokens_.peek();
    if (next.is("=") || next.is(":")) {
        read_assignment(target);
    } else if (!operator_target(next.text).empty() && next.text.ends_with('=')) {
        read_in_place(target);
    } else {
        tokens_.fail_expected("an assignment");
    }
}

void FxStatements::check_in_place_is_named() const {
    if (in_place_) tokens_.fail(in_place_->first.offset, "what is changed in place here is given no name behind it");
}

void FxStatements::read_in_place(Id target) {
    check_in_place_is_named();
    const std::size_t offset = expression(target).offset;
    UntypedNode node;
    node.offset = offset;
    set_target(node, NodeOp::call_function, operator_target(tokens_.take().text));
    const Value left = arguments_.value(target);
    set_arguments(node, std::array{left, arguments_.value(expressions_.parse())});
    in_place_.emplace(std::move(node), kept_name(expressions_.source(target)));
}

Value FxStatements::resolve(std::string_view name, std::size_t offset) {
    const auto known = names_.find(name);
    if (known == names_.end()) {
        tokens_.fail(offset, "no node before this is called " + in_quotes(shortened(name)));
    }
    if (const auto released = released_.find(name); released != released_.end()) {
        tokens_.fail(offset, in_quotes(shortened(name)) + " is used after it was released in " +
                                 text_place(text_, released->second));
    }
    return known->second;
}

bool FxStatements::assign_alias(std::string_view name, Id right) {
    const PythonExpression& value = expression(right);
    if (value.kind == Kind::list || value.kind == Kind::tuple) {  // arguments that a call empties
        names_[kept_name(name)] = arguments_.value(right);
        return true;
    }
    if (value.kind != Kind::name) return false;
    if (in_place_ && in_place_->second == value.text) {
        add(std::move(in_place_->first), name);
        in_place_.reset();
        return true;
    }
    const Value source = resolve(value.text, value.offset);
    if (!source.is(ValueKind::node) || graph_.nodes[source.node].record.op != NodeOp::placeholder) {
        tokens_.fail(value.offset, "a name is given to a node for the second time");
    }
    // Dynamo's parameters are named after their source; the node's own name comes in the body.
    names_.erase(value.text);
    graph_.nodes[source.node].record.name = builder().intern(name);
    names_[kept_name(name)] = source;
    return true;
}

void FxStatements::assign(std::string_view name, Id right, std::size_t offset, std::optional<std::string> annotation) {
    if (assign_alias(name, right)) {
        if (annotation && !graph_.nodes.empty()) set_type(graph_.nodes.back(), *annotation);
        return;
    }
    check_in_place_is_named();
    UntypedNode node;
    node.offset = offset;
    switch (expression(right).kind) {
        case Kind::call:
            assign_call(node, right);
            break;
        case Kind::attribute:
        case Kind::subscript:
        case Kind::unary:
        case Kind::binary:
            assign_operator(node, right);
            break;
        default:
            tokens_.fail(expression(right).offset,
                         "expected a call, found " + in_quotes(shortened(expressions_.source(right))));
    }
    if (annotation) set_type(node, *annotation);
    add(std::move(node), name);
}

void FxStatements::assign_call(UntypedNode& node, Id call) {
    const Id callee = expressions_.child(call, 0);
    const std::optional<std::string> dotted = expressions_.dotted_name(call);
    if (dotted && dotted->starts_with("self.")) {  // getattr(self, "0")
        set_target(node, NodeOp::get_attr, dotted->substr(5));
        return;
    }
    node.record.kwargs = arguments_.keywords(call);
    if (node.record.kwargs.count == 0) node.record.kwargs = {};
    const std::optional<std::string> name = expressions_.dotted_name(callee);
    const std::string_view root = name ? std::string_view(*name).substr(0, name->find('.')) : std::string_view();
    const bool is_method = expression(callee).kind == Kind::attribute && (!name || names_.contains(root));
    if (is_method) {
        set_target(node, NodeOp::call_method, expression(callee).text);
        node.record.args = arguments_.positional(call, 1, {arguments_.value(expressions_.child(callee, 0))});
        return;
    }
    if (!name) tokens_.fail(expression(callee).offset, "what is called here has no name");
    if (root == "self") {
        if (*name == root) tokens_.fail(expression(callee).offset, "self is called, and only modules in it can be");
        set_target(node, NodeOp::call_module, std::string_view(*name).substr(5));
    } else {
        set_target(node, NodeOp::call_function, call_target(*name));
    }
    node.record.args = arguments_.positional(call, 1);
    if (node.record.args.count == 0) node.record.args = {};
}

void FxStatements::assign_operator(UntypedNode& node, Id id) {
    const PythonExpression& value = expression(id);
    if (value.kind == Kind::attribute) {
        const std::optional<std::string> dotted = expressions_.dotted_name(id);
        if (dotted && dotted->starts_with("self.")) {
            set_target(node, NodeOp::get_attr, dotted->substr(5));
            return;
        }
        set_target(node, NodeOp::call_function, "builtins.getattr");
        set_arguments(node, std::array{arguments_.value(expressions_.child(id, 0)), builder().string(value.text)});
        return;
    }
    if (value.kind == Kind::unary) {
        set_target(node, NodeOp::call_function,
                   value.text == "-"   ? "operator.neg"
                   : value.text == "~" ? "operator.invert"
                                       : "operator.pos");
        set_arguments(node, std::array{arguments_.value(expressions_.child(id, 0))});
        return;
    }
    set_target(node, NodeOp::call_function,
               value.kind == Kind::subscript ? "operator.getitem" : operator_target(value.text));
    const Value left = arguments_.value(expressions_.child(id, 0));
    set_arguments(node, std::array{left, arguments_.value(expressions_.child(id, 1))});
}

void FxStatements::read_return() {
    check_in_place_is_named();
    const PythonToken word = tokens_.take();
    UntypedNode node;
    node.offset = word.offset;
    set_target(node, NodeOp::output, "output");
    Id value = expressions_.parse();
    if (expression(value).kind == Kind::call && expression(value).count > 1) {  // pytree.tree_unflatten([...], spec)
        value = expressions_.child(value, 1);
    }
    set_arguments(node, std::array{arguments_.value(value)});
    comment_.reset();
    add(std::move(node), "output");
}

void FxStatements::set_target(UntypedNode& node, NodeOp op, std::string_view target) {
    node.record.op = op;
    node.record.target = builder().target(target);
}

void FxStatements::set_arguments(UntypedNode& node, std::span<const Value> args) {
    node.record.args = builder().list(args);
}

void FxStatements::set_type(UntypedNode& node, std::string_view annotation) {
    std::optional<FxType> type = parse_fx_type(annotation, options_.symbols);
    if (!type) {
        note("the type " + in_quotes(shortened(annotation)) + " is none that is known, and is left out", node.offset);
        return;
    }
    graph_.symbols.merge(type->symbols);
    for (const std::string& symbol : type->unknown_symbols) {
        note("the symbol " + in_quotes(shortened(symbol)) + " has no value: --symbol NAME=VALUE gives one", node.offset,
             ImportNoteKind::untold);
    }
    node.declared = std::move(type->tensor);
    node.value = type->value;
    node.symbol = std::move(type->symbol);
}

void FxStatements::add(UntypedNode node, std::string_view name) {
    if (comment_ && node.record.op != NodeOp::placeholder) {
        NodeMetadata& metadata = node.metadata;
        metadata.custom_json = builder().intern(comment_->custom_json);
        metadata.module_fqn = builder().intern(comment_->module_fqn);
        metadata.extra_json = builder().intern(comment_->details_json);
        metadata.partitioner_tag = builder().intern(comment_->partitioner_tag);
        metadata.autograd_backward = comment_->autograd_backward;
        metadata.sequence_number = comment_->sequence_number;
    }
    node.record.name = builder().intern(name);
    const auto [entry, added] =
        names_.emplace(kept_name(name), Value::of_node(static_cast<NodeId>(graph_.nodes.size())));
    if (!added) {
        tokens_.fail(node.offset, "the name " + in_quotes(shortened(name)) + " is given for the second time");
    }
    graph_.nodes.push_back(std::move(node));
}

}  // namespace overlap
