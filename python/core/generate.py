# SPDX-License-Identifier: MIT
"""Writes the bindings of all functions from the headers of chainer/functions.

    generate.py SOURCE_TREE OUTPUT_FOLDER

A function in the headers is an object with operator(). Its parameters, with the options struct replaced by its fields,
are the parameters of the Python function. Writes functions_0.cpp ... (the bindings), words.cpp (enumerations) and
places.py (the module in chainer.functions of each function). Functions with a parameter type without caster are bound
in adapters.cpp and must be listed in ADAPTED, so that no new function lacks a binding.
"""
import glob
import os
import re
import sys

PARTS = 8
# Bound manually in adapters.cpp.
ADAPTED = {'get_item', 'scatter_add', 'scatter_max', 'scatter_mean', 'pad', 'einsum', 'forget', 'sparse_matmul', 'copy'}
# Python names of parameters that have another name in C++.
RENAMED = {('cast', 'dtype'): 'typ', ('r2_score', 'truth'): 'true'}

# Maps types to the types of the binding. Other types, except enumerations, have no caster.
TAKEN = {
    'Variable': 'const In&', 'int64_t': 'int64_t', 'double': 'double', 'bool': 'Flag', 'PerAxis': 'const PerAxis&',
    'Variables': 'const Variables&', 'Axes': 'const Axes&', 'std::optional<int64_t>': 'std::optional<int64_t>',
    'Array': 'const Array&', 'Array*': 'Flag', 'std::vector<Variables>': 'const std::vector<Variables>&',
    'IntPair': 'IntPair', 'Shape': 'const Shape&', 'Dims': 'const Dims&', 'std::string': 'const std::string&',
    'std::optional<double>': 'std::optional<double>', 'std::vector<int64_t>': 'const IntList&',
    'std::optional<IntPair>': 'std::optional<IntPair>', 'Dtype': 'Dtype',
    'std::function<Array(const Shape&)>': 'const std::function<Array(const Shape&)>&',
}
# Functions that are one node in the release, by the class of that node, whose parameters the node shows: functions that
# are composed of others here, and those whose nodes do not keep the parameters.
ONE_NODE = dict(line.split() for line in """
crelu CReLU
hard_sigmoid HardSigmoid
rrelu RReLU
slstm SLSTM
tree_lstm TreeLSTM
broadcast Broadcast
depth2space Depth2Space
space2depth Space2Depth
diagonal Diagonal
dstack Dstack
expand_dims ExpandDims
flip Flip
fliplr FlipLR
flipud FlipUD
hstack Hstack
im2col Im2Col
moveaxis Moveaxis
pad_sequence PadSequence
permutate Permutate
repeat Repeat
resize_images ResizeImages
rollaxis Rollaxis
select_item SelectItem
separate Separate
spatial_transformer_grid SpatialTransformerGrid
spatial_transformer_sampler SpatialTransformerSampler
split_axis SplitAxis
squeeze Squeeze
stack Stack
sum_to SumTo
swapaxes Swapaxes
tile Tile
vstack Vstack
where Where
bilinear BilinearFunction
local_convolution_2d LocalConvolution2DFunction
shift Shift
accuracy Accuracy
binary_accuracy BinaryAccuracy
absolute_error AbsoluteError
contrastive Contrastive
cross_covariance CrossCovariance
decov DeCov
hinge Hinge
huber_loss HuberLoss
mean_absolute_error MeanAbsoluteError
squared_error SquaredError
triplet Triplet
add MultiAdd
argmax ArgMax
argmin ArgMin
inv Inv
batch_l2_norm_squared BatchL2NormSquared
cumsum Cumsum
fft FFT
ifft FFT
linear_interpolate LinearInterpolate
logsumexp LogSumExp
batch_matmul BatchMatMul
squared_difference SquaredDifference
tensordot TensorDot
batch_normalization BatchNormalization
fixed_batch_normalization FixedBatchNormalization
layer_normalization LayerNormalization
local_response_normalization LocalResponseNormalization
normalize NormalizeL2
average_pooling_1d AveragePoolingND
average_pooling_2d AveragePooling2D
average_pooling_3d AveragePoolingND
average_pooling_nd AveragePoolingND
max_pooling_1d MaxPoolingND
max_pooling_2d MaxPooling2D
max_pooling_3d MaxPoolingND
max_pooling_nd MaxPoolingND
roi_average_align_2d ROIAverageAlign2D
roi_pooling_2d ROIPooling2D
unpooling_1d UnpoolingND
unpooling_2d Unpooling2D
unpooling_3d UnpoolingND
unpooling_nd UnpoolingND
upsampling_2d Upsampling2D
""".split('\n') if line)
# Variables that the release's node keeps as attributes instead of inputs.
KEPT = {('where', 'condition')}
# Functions whose axes may be a list; for other functions a list is a TypeError, as in the release.
LISTS_OF_AXES = {'transpose', 'normalize', 'batch_normalization', 'fixed_batch_normalization'}
NONE_ALLOWED = {'Variable', 'Array', 'Axes', 'PerAxis', 'Variables'}


def read(path):
    with open(path) as f:
        return f.read()


def without_comments(text):
    return re.sub(r'//.*', '', text)


def documentation(text):
    """Returns the comment of each function by the name of its struct, without the C++ examples."""
    found, last = {}, ''
    for m in re.finditer(r'((?:^///.*\n)*)inline constexpr struct (\w+)', text, re.M):
        lines = [line[3:].removeprefix(' ') for line in m.group(1).splitlines()]
        last = '\n'.join([line for line in lines if not line.startswith('  ')]) or last  # a pair shares its comment
        found[m.group(2)] = last
    return found


def option_documentation(text):
    """Returns 'name: description' for the commented fields of each struct."""
    return {m.group(1): ['%s: %s' % (n, ' '.join(d.split())) for n, d in re.findall(
                r'(\w+)(?: = [^;]*)?;\s*///< (.*(?:\n\s*///< .*)*)', m.group(2))]
            for m in re.finditer(r'\nstruct (\w+)(?:\s*:\s*\w+)? \{(.*?)\n\};', text, re.S)}


def split(text):
    """Splits at commas outside of brackets."""
    parts, depth, part = [], 0, ''
    for c in text:
        depth += (c in '(<{') - (c in ')>}')
        if c == ',' and depth == 0:
            parts.append(part.strip())
            part = ''
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def fields(body):
    """Returns (type, name, default) for each field of a struct."""
    found = []
    for statement in body.split(';'):
        statement = ' '.join(statement.split())
        m = re.match(r'((?:std::\w+<.*?>|[\w:]+)(?:<[^=]*>)?\*?) (\w+ ?(?:=.*|,.*)?)$', statement)
        if not m or statement.startswith(('static', 'return', 'using')):
            continue
        for declarator in split(m.group(2)):
            name, _, default = declarator.partition('=')
            found.append((m.group(1), name.strip(), default.strip() or '{}'))
    return found


class Headers:
    def __init__(self, root):
        folder = os.path.join(root, 'chainer', 'functions')
        text = ''.join(read(p) for p in sorted(glob.glob(folder + '/*.h')))
        self.documentation, self.option_documentation = documentation(text), option_documentation(text)
        text = without_comments(text)
        self.enums = {}
        for m in re.finditer(r'enum class (\w+)(?:\s*:\s*\w+)?\s*\{(.*?)\}', text, re.S):
            self.enums[m.group(1)] = [w.split('=')[0].strip() for w in m.group(2).split(',') if w.strip()]
        self.structs = {m.group(1): fields(m.group(2))
                        for m in re.finditer(r'\nstruct (\w+)(?:\s*:\s*\w+)? \{(.*?)\n\};', text, re.S)}
        self.functions, self.results, self.types = {}, {}, {}
        for m in re.finditer(r'inline constexpr struct (\w+)(.*?)\n\} (\w+)\{\};', text, re.S):
            calls = re.findall(r'(\w[\w:<>]*)\s+operator\(\)\((.*?)\) const', m.group(2), re.S)
            self.types[m.group(3)] = m.group(1)
            self.functions[m.group(3)] = [(r, split(' '.join(a.split()))) for r, a in calls]
            nested = re.search(r'struct Result \{(.*?)\}', m.group(2), re.S)
            if nested:
                self.results[m.group(3)] = [n for _, n, _ in fields(nested.group(1))]
        self.sources = {}
        for path in sorted(glob.glob(folder + '/*/*.cpp')):
            with open(path) as f:
                self.sources[path] = f.read()

    def place(self, name):
        """Returns the folder of the source that defines a function, which is the chapter of the manual."""
        for path, text in self.sources.items():
            if os.path.basename(path) == name + '.cpp' or self.types[name] + '::operator()' in text:
                return path.split(os.sep)[-2]
        return 'math'

    def docstring(self, name, arguments):
        """Returns the comments of the function and of its options."""
        text = self.documentation[self.types[name]]
        for a in arguments:
            options = self.option_documentation.get(re.match(r'(?:const )?(\w+)', a).group(1))
            text += '\n\n' + '\n'.join(options) if options else ''
        return text.replace('///<', '').strip()

    def parameters(self, arguments):
        """Returns (type, name, default, options struct or None) for each Python parameter of a call."""
        out = []
        for a in arguments:
            m = re.match(r'(?:const )?(.+?)\s*&?\s*(\w+)\s*(?:=\s*(.*))?$', a)
            type_, name, default = m.group(1).strip(), m.group(2), m.group(3)
            if type_ in self.structs and name == 'options':
                out += [(t, n, d, type_) for t, n, d in self.structs[type_]]
            else:
                out.append((type_, name, default, None))
        return out


def python_default(type_, default, enums):
    """Returns the default value as source text of the binding, or None if there is none."""
    if default is None:
        return None
    if default in ('{}', 'nullptr'):
        default = {'Array*': 'false', 'bool': 'false'}.get(type_, 'nb::none()')
    if type_ in enums:
        return '"%s"' % default.split('::')[-1]
    if type_ in ('bool', 'Array*'):
        return default
    if default == 'nb::none()':
        return default
    if type_ in ('double', 'std::optional<double>'):
        return 'double(%s)' % default
    if type_ == 'std::string':
        return default
    return 'int64_t(%s)' % default


def as_one(name, compute, parameters):
    """Returns a call of `compute` that is recorded as one node."""
    kept = [n for _, n, _, _ in parameters if (name, n) in KEPT]
    inputs = [n + '.get()' if t == 'Variable' else n for t, n, _, _ in parameters
              if t in ('Variable', 'Variables') and n not in kept]
    given = [n for t, n, _, _ in parameters if n in kept or is_given(t)]
    capture = '[=%s]' % ''.join(', %s = %s.get().array()' % (n, n) for n in kept)
    closure = '%s(nb::dict& d) {%s }' % (capture, ''.join(' d["%s"] = give(%s);' % (n, n) for n in given)) \
        if given else '[](nb::dict&) {}'
    listed = 'true' if parameters[0][0] == 'Variables' else 'false'
    return 'as_one({"%s", "%s", %s}, pointers(%s), %s, %s)' % (
        name, ONE_NODE[name], listed, ', '.join(inputs), compute, closure)


def is_given(type_):
    """Returns true if a node shows a parameter of this type."""
    return type_ not in ('Variable', 'Variables', 'Array*') and not type_.startswith(('std::function', 'std::vector<Var'))


def binding(headers, name, result, arguments):
    """Returns the line that binds one call, or None if a parameter has no caster."""
    parameters = headers.parameters(arguments)
    if not all(t in TAKEN or t in headers.enums for t, _, _, _ in parameters):
        return None
    taken, names, body, passed, second = [], [], [], [], None
    for a in arguments:
        m = re.match(r'(?:const )?(.+?)\s*&?\s*(\w+)\s*(?:=\s*(.*))?$', a)
        if m.group(2) == 'options' and m.group(1).strip() in headers.structs:
            body.append('fn::%s options;' % m.group(1).strip())
            passed.append('options')
        else:
            passed.append(m.group(2))
    for type_, n, default, options in parameters:
        given = TAKEN.get(type_, 'const Word<E::%s>&' % type_)
        if type_ == 'Axes' and name in LISTS_OF_AXES:
            given = 'const AnyAxes&'
        taken.append('%s %s' % (given, n))
        value = python_default(type_, default, headers.enums)
        none = '.none()' if type_ in NONE_ALLOWED or 'optional' in type_ else ''
        names.append('"%s"_a%s%s' % (RENAMED.get((name, n), n), none, '' if value is None else ' = ' + value))
        if options and type_ == 'Array*':
            body.append('Array second; if (%s) options.%s = &second;' % (n, n))
            second = n
        elif options:
            body.append('options.%s = %s;' % (n, n if type_ not in headers.enums else 'E::%s(%s)' % (type_, n)))
    first = parameters[0]
    if first[0] in ('Variable', 'Variables'):
        body.append('give_back();')
    call = 'fn::%s(%s)' % (name, ', '.join(passed))
    compute = '[&] { const Unlocked unlocked(%s); return %s; }' % (
        first[1] + '.get()' if first[0] == 'Variable' else first[1] if first[0] == 'Variables' else 'false', call)
    if name in ONE_NODE and result.split('::')[-1] in ('Variable', 'Variables'):
        call = as_one(name, '[&] { return %s; }' % call, parameters)
        compute = as_one(name, compute, parameters)
    else:
        compute += '()'
    kind = result.split('::')[-1]
    members = headers.results.get(name) if kind == 'Result' else \
        [n for _, n, _ in headers.structs[kind]] if kind in headers.structs else None
    arrow = ''
    if members:
        moved = ', '.join('std::move(r.%s)' % x for x in members)
        body.append('auto r = %s; return nb::make_tuple(%s);' % (call, moved))
    elif second:
        arrow = ' -> nb::object'
        body.append('auto y = %s; if (%s) return nb::make_tuple(std::move(y), second); return nb::cast(std::move(y));'
                    % (call, second))
    else:
        body.append('return %s;' % compute)
    return '  m.def("%s", [](%s)%s { %s }, R"doc(%s)doc", %s);\n' % (
        name, ', '.join(taken), arrow, ' '.join(body), headers.docstring(name, arguments), ', '.join(names))


def write(path, text):
    if os.path.exists(path):
        with open(path) as f:
            if f.read() == text:
                return
    with open(path + '.new', 'w') as f:
        f.write(text)
    os.replace(path + '.new', path)


def main(root, out):
    headers = Headers(root)
    lines, unbound = [], []
    for name in sorted(set(headers.functions) - ADAPTED):
        seen, mine = set(), []
        for result, arguments in headers.functions[name]:
            line = binding(headers, name, result, arguments)
            key = tuple((n, t) for t, n, _, _ in headers.parameters(arguments))
            if line and key not in seen and not any(tuple(n for n, _ in key) == tuple(n for n, _ in k) and
                                                    name != 'moveaxis' for k in seen):
                seen.add(key)
                mine.append(line)
        lines += mine
        if not mine:
            unbound.append(name)
    if unbound:
        sys.exit('generate.py: no caster takes the parameters of %s: bind them in adapters.cpp' % ', '.join(unbound))
    head = '// Written by generate.py.\n#include "chainer/functions/functions.h"\n#include "python/core/calls.h"\n'
    uses = 'namespace chainer::python {\nnamespace fn = chainer::functions;\nnamespace E {\n'
    for e in headers.enums:
        uses += 'using %s = %s;\n' % (e, 'chainer::Reduction' if e == 'Reduction' else 'fn::' + e)
    uses += '}\n'
    for i in range(PARTS):
        part = ''.join(lines[i * len(lines) // PARTS:(i + 1) * len(lines) // PARTS])
        write('%s/functions_%d.cpp' % (out, i),
              head + uses + 'void bind_functions_%d(nb::module_& m) {\n%s}\n}\n' % (i, part))
    words = head + uses
    for e, names in headers.enums.items():
        cases = ''.join('  if (text == "%s") return E::%s::%s;\n' % (w, e, w) for w in names)
        words += ('template <> Word<E::%s>::operator E::%s() const {\n%s  throw ValueError("one of %s is expected, not '
                  '\'", text, "\'");\n}\n' % (e, e, cases, ', '.join("'%s'" % w for w in names)))
    for i in range(PARTS):
        words += 'void bind_functions_%d(nb::module_& m);\n' % i
    words += 'void bind_functions(nb::module_& m) {\n%s}\n}\n' % ''.join(
        '  bind_functions_%d(m);\n' % i for i in range(PARTS))
    write(out + '/words.cpp', words)
    places = '"""The chapter of each function. Written by generate.py."""\nPLACES = {\n'
    for name in sorted(headers.functions):
        places += '    %r: %r,\n' % (name, headers.place(name))
    write(out + '/places.py', places + '}\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
