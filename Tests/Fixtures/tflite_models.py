"""Models of TensorFlow Lite of one operator, and the outputs of LiteRT's reference kernels."""

import base64
import zlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

TYPES = {
    "float32": schema.TensorType.FLOAT32, "float16": schema.TensorType.FLOAT16, "int32": schema.TensorType.INT32,
    "uint8": schema.TensorType.UINT8, "int64": schema.TensorType.INT64, "bool": schema.TensorType.BOOL,
    "int16": schema.TensorType.INT16, "int8": schema.TensorType.INT8,
}
OPERATORS = vars(schema.BuiltinOperator)
OPTIONS = {name: number for name, number in vars(schema.BuiltinOptions).items() if isinstance(number, int)}


class Array:
    """A tensor of a model: an input, a constant (with data), or an output."""

    def __init__(self, shape, dtype="float32", scale=None, zero=0, axis=0, data=None):
        self.shape, self.dtype, self.axis, self.data = list(shape), dtype, axis, data
        self.scale = None if scale is None else np.atleast_1d(np.float32(scale))
        self.zero = zero


def constant(values, dtype="int32", **quantization):
    data = np.asarray(values, dtype)
    return Array(data.shape, dtype, data=data, **quantization)


def tensor(array, name, buffer):
    result = schema.TensorT()
    result.name, result.shape, result.type, result.buffer = name, array.shape, TYPES[array.dtype], buffer
    if array.scale is not None:
        result.quantization = schema.QuantizationParametersT()
        result.quantization.scale = array.scale
        result.quantization.zeroPoint = np.full(len(array.scale), array.zero, np.int64)
        result.quantization.quantizedDimension = array.axis
    return result


def model(operator, operands, results, options=None, custom=None, version=1):
    """The bytes of a model of one operator; operands that are None are absent."""
    root, graph, call, code = schema.ModelT(), schema.SubGraphT(), schema.OperatorT(), schema.OperatorCodeT()
    root.version, root.buffers = 3, [schema.BufferT()]
    graph.tensors, graph.inputs, graph.name = [], [], "main"
    call.opcodeIndex, call.inputs, call.outputs = 0, [], []
    for operand in operands:
        if operand is None:
            call.inputs.append(-1)
            continue
        position, buffer = len(graph.tensors), 0
        if operand.data is None:
            graph.inputs.append(position)
        else:
            buffer = len(root.buffers)
            root.buffers.append(schema.BufferT())
            root.buffers[-1].data = np.frombuffer(operand.data.tobytes(), np.uint8)
        graph.tensors.append(tensor(operand, f"x{position}", buffer))
        call.inputs.append(position)
    for index, result in enumerate(results):
        call.outputs.append(len(graph.tensors))
        graph.tensors.append(tensor(result, f"y{index}", 0))
    graph.outputs, graph.operators = list(call.outputs), [call]
    code.version = version
    code.builtinCode = OPERATORS[operator]
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    if custom:
        code.customCode, call.customOptions = custom[0], np.frombuffer(custom[1], np.uint8)
    if options:
        kind, values = options
        call.builtinOptionsType = OPTIONS[kind]
        call.builtinOptions = getattr(schema, kind + "T")()
        for name, value in values.items():
            assert hasattr(call.builtinOptions, name), name
            setattr(call.builtinOptions, name, value)
    root.operatorCodes, root.subgraphs = [code], [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(root.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def random(array, rng, low=-3.0, high=3.0):
    if array.dtype == "bool":
        return rng.integers(0, 2, array.shape).astype(bool)
    if array.dtype.startswith("float"):
        return rng.uniform(low, high, array.shape).astype(array.dtype)
    if array.scale is not None:
        info = np.iinfo(array.dtype)
        return rng.integers(info.min, info.max + 1, array.shape).astype(array.dtype)
    return rng.integers(-5, 6, array.shape).astype(array.dtype)


def pack(array):
    return {
        "type": str(array.dtype), "shape": list(array.shape),
        "data": base64.b64encode(np.ascontiguousarray(array).tobytes()).decode(),
    }


CASES = []


def interpreted(operator, operands, results, options, custom):
    """A model of the first version that LiteRT accepts, on reference kernels if the operator has any."""
    for resolver in [OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES]:
        for version in range(1, 8):
            content = model(operator, operands, results, options, custom, version)
            try:
                interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver, num_threads=1)
                interpreter.allocate_tensors()
                return content, interpreter
            except (ValueError, RuntimeError) as error:
                refusal = error
    raise refusal


def case(name, operator, operands, results, options=None, low=-3.0, high=3.0, tolerance=0, custom=None, finish=None,
         like=None, formula=None):
    """A case of an operator. Where LiteRT lacks it, the outputs come from `like`, an operator with operands and
    options, or from `formula`, a function of the inputs."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if formula:
        inputs = [random(operand, rng, low, high) for operand in operands if operand is not None and operand.data is None]
        add(name, model(operator, operands, results, options, custom), tolerance, inputs, formula(*inputs))
        return
    try:
        if like:
            content = model(operator, operands, results, options, custom)
            _, interpreter = interpreted(like[0], like[1], results, like[2], None)
        else:
            content, interpreter = interpreted(operator, operands, results, options, custom)
    except (ValueError, RuntimeError) as error:
        print(f"left out {name}: {str(error).splitlines()[0]}")
        return
    inputs = []
    for detail, operand in zip(interpreter.get_input_details(), (o for o in operands if o is not None and o.data is None)):
        inputs.append(random(operand, rng, low, high))
        interpreter.set_tensor(detail["index"], inputs[-1])
    try:
        interpreter.invoke()
    except RuntimeError as error:
        print(f"left out {name}: {str(error).splitlines()[0]}")
        return
    outputs = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
    if finish:
        finish(outputs)
    add(name, content, tolerance, inputs, outputs)


def add(name, content, tolerance, inputs, outputs):
    CASES.append({
        "name": name, "model": base64.b64encode(content).decode(), "tolerance": tolerance,
        "inputs": [pack(value) for value in inputs], "outputs": [pack(value) for value in outputs],
    })


def weights(rng, shape, dtype, axis):
    """Random weights with a scale for each slice along `axis`, or a single scale when it is None."""
    if dtype == "float32":
        return constant(rng.uniform(-1, 1, shape), "float32")
    info = np.iinfo(dtype)
    zero = 0 if dtype == "int8" else 121
    data = rng.integers(max(info.min, -127), info.max + 1, shape)
    scale = rng.uniform(0.002, 0.02, shape[axis]) if axis is not None else 0.008
    return constant(data, dtype, scale=scale, zero=zero, axis=axis or 0)


def bias(rng, count, dtype, x, w):
    if dtype == "float32":
        return constant(rng.uniform(-1, 1, count), "float32")
    wide = "int64" if dtype == "int16" else "int32"
    return constant(
        rng.integers(-3000, 3000, count), wide, scale=x.scale * (w.scale if len(w.scale) > 1 else w.scale[0]), zero=0)


def quantized(shape, dtype, scale=0.05, zero=None):
    if dtype == "float32":
        return Array(shape)
    zeros = {"int8": -7, "uint8": 117, "int16": 0}
    return Array(shape, dtype, scale=scale, zero=zeros[dtype] if zero is None else zero)
