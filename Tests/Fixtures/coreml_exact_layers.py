"""Networks whose values have the shapes that are declared, as version 4 of Core ML's format brought; see
make_coreml_fixtures.py."""

import math

import numpy as np


def make(case, floats, run, random):
    def exact(name, inputs, build, *expected):
        case(name, inputs, build, list(expected), exact=True)

    x, z = floats(2, 3, 4), floats(3, 1)
    for name in ["ceil", "floor", "sign", "round", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                 "asinh", "acosh", "atanh", "erf", "exp2"]:
        source = np.clip(x / 4, -0.9, 0.9)
        if name == "acosh":
            source = np.abs(x) + 1.1
        function = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh,
                    "atanh": np.arctanh, "round": np.round, "erf": np.vectorize(math.erf)}.get(name) or getattr(np, name)
        exact(f"function_{name}", {"x": source}, lambda net: getattr(net, f"add_{name}")("layer", "x", "y"), function(source))
    exact("clip", {"x": x}, lambda net: net.add_clip("layer", "x", "y", -0.5, 0.75), np.clip(x, -0.5, 0.75))
    exact("clamped_relu", {"x": x}, lambda net: net.add_clamped_relu("layer", "x", "y", 0.2, 0.75),
          np.minimum(np.where(x > 0, x, np.float32(0.2) * x), 0.75))
    erf = np.vectorize(math.erf)
    exact("gelu_exact", {"x": x}, lambda net: net.add_gelu("layer", "x", "y", "EXACT"), x / 2 * (1 + erf(x / math.sqrt(2))))
    exact("gelu_tanh", {"x": x}, lambda net: net.add_gelu("layer", "x", "y", "TANH_APPROXIMATION"),
          x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))))
    exact("gelu_sigmoid", {"x": x}, lambda net: net.add_gelu("layer", "x", "y", "SIGMOID_APPROXIMATION"),
          x / (1 + np.exp(-1.702 * x)))
    pair = {"x": x, "z0": z}
    for name, expected in [
        ("add", x + z), ("subtract", x - z), ("multiply", x * z), ("divide", x / z), ("max", np.maximum(x, z)),
        ("min", np.minimum(x, z)), ("mod", np.mod(x, z)), ("floor_div", np.floor_divide(x, z)),
    ]:
        exact(f"broadcasting_{name}", pair, lambda net: getattr(net, f"add_{name}_broadcastable")("layer", ["x", "z0"], "y"),
              expected)
    base, exponent = np.abs(x), z
    exact("broadcasting_pow", {"x": base, "z0": exponent},
          lambda net: net.add_pow_broadcastable("layer", ["x", "z0"], "y"), base ** exponent)
    same = np.where(random.random((2, 3, 4)) > 0.5, x, 0.25).astype(np.float32)
    other = np.where(random.random((2, 3, 4)) > 0.5, same, 0.1).astype(np.float32)
    both = {"x": same, "z0": other}
    exact("equal", both, lambda net: net.add_equal("layer", ["x", "z0"], "y"), same == other)
    exact("equal_number", {"x": same}, lambda net: net.add_equal("layer", ["x"], "y", 0.25), same == 0.25)
    exact("not_equal", both, lambda net: net.add_not_equal("layer", ["x", "z0"], "y"), same != other)
    exact("less", both, lambda net: net.add_less_than("layer", ["x", "z0"], "y"), same < other)
    exact("less_equal", both, lambda net: net.add_less_than("layer", ["x", "z0"], "y", use_less_than_equal=True), same <= other)
    exact("greater", both, lambda net: net.add_greater_than("layer", ["x", "z0"], "y"), same > other)
    exact("greater_number", {"x": same}, lambda net: net.add_greater_than("layer", ["x"], "y", alpha=0.2), same > 0.2)
    exact("greater_equal", both, lambda net: net.add_greater_than(
        "layer", ["x", "z0"], "y", use_greater_than_equal=True), same >= other)
    truth = {"x": (x > 0).astype(np.float32), "z0": (other > 0).astype(np.float32)}
    for mode, function in [("AND", np.logical_and), ("OR", np.logical_or), ("XOR", np.logical_xor)]:
        exact(f"logical_{mode.lower()}", truth, lambda net: net.add_logical("layer", ["x", "z0"], "y", mode),
              function(truth["x"], truth["z0"]))
    exact("logical_not", {"x": truth["x"]}, lambda net: net.add_logical("layer", ["x"], "y", "NOT"), 1 - truth["x"])
    exact("where", {"c": truth["x"], "x": x, "z0": z}, lambda net: net.add_where_broadcastable("layer", ["c", "x", "z0"], "y"),
          np.where(truth["x"] != 0, x, z))

    rank4 = floats(2, 3, 4, 2)
    for name, function in [
        ("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("min", np.min), ("max", np.max),
        ("l1", lambda a, **k: np.abs(a).sum(**k)), ("l2", lambda a, **k: np.sqrt((a * a).sum(**k))),
        ("sumsquare", lambda a, **k: (a * a).sum(**k)), ("logsum", lambda a, **k: np.log(a.sum(**k))),
        ("logsumexp", lambda a, **k: np.log(np.exp(a).sum(**k))),
    ]:
        source = np.abs(rank4)
        exact(f"reduction_{name}", {"x": source}, lambda net: getattr(net, f"add_reduce_{name}")(
            "layer", "x", "y", axes=[1, -1], keepdims=True), function(source, axis=(1, 3), keepdims=True))
    exact("reduction_dropping", {"x": rank4}, lambda net: net.add_reduce_sum("layer", "x", "y", axes=[0, 2], keepdims=False),
          rank4.sum(axis=(0, 2)))
    exact("argmax", {"x": rank4}, lambda net: net.add_argmax("layer", "x", "y", axis=2, keepdims=False), rank4.argmax(2))
    exact("argmin", {"x": rank4}, lambda net: net.add_argmin("layer", "x", "y", axis=-1, keepdims=True),
          rank4.argmin(-1)[..., None])
    order = np.argsort(rank4, axis=2)
    exact("argsort", {"x": rank4}, lambda net: net.add_argsort("layer", "x", "y", axis=2), order)
    exact("argsort_descending", {"x": rank4}, lambda net: net.add_argsort("layer", "x", "y", axis=2, descending=True),
          np.argsort(-rank4, axis=2))
    exact("topk", {"x": rank4}, lambda net: net.add_topk("layer", ["x"], ["y", "z"], k=2, axis=2),
          np.take_along_axis(rank4, np.argsort(-rank4, axis=2)[:, :, :2], 2), np.argsort(-rank4, axis=2)[:, :, :2])
    exact("bottomk", {"x": rank4}, lambda net: net.add_topk("layer", ["x"], ["y", "z"], k=3, axis=2, use_bottom_k=True),
          np.take_along_axis(rank4, order[:, :, :3], 2), order[:, :, :3])
    exact("cumsum", {"x": rank4}, lambda net: net.add_cumsum("layer", ["x"], "y", axis=2, reverse=True, exclusive=True),
          np.flip(np.cumsum(np.flip(rank4, 2), 2), 2) - rank4)

    table = floats(5, 4, 2)
    indices = np.array([3, 0, 4], np.float32)
    exact("gather", {"x": table, "i": indices}, lambda net: net.add_gather("layer", ["x", "i"], "y", axis=0), table[[3, 0, 4]])
    pairs = np.array([[1, 2], [4, 0]], np.float32)
    exact("gather_nd", {"x": table, "i": pairs}, lambda net: net.add_gather_nd("layer", ["x", "i"], "y"),
          table[[1, 4], [2, 0]])
    along = random.integers(0, 4, (5, 2, 2)).astype(np.float32)
    exact("gather_along_axis", {"x": table, "i": along}, lambda net: net.add_gather_along_axis("layer", ["x", "i"], "y", axis=1),
          np.take_along_axis(table, along.astype(int), 1))
    for mode in ["UPDATE", "ADD", "SUB", "MUL", "DIV", "MAX", "MIN"]:
        updates = floats(5, 2, 2)
        expected = table.copy()
        for position, column in enumerate([2, 0]):
            old, new = expected[:, column].copy(), updates[:, position]
            expected[:, column] = {"UPDATE": new, "ADD": old + new, "SUB": old - new, "MUL": old * new, "DIV": old / new,
                                   "MAX": np.maximum(old, new), "MIN": np.minimum(old, new)}[mode]
        exact(f"scatter_{mode.lower()}", {"x": table, "i": np.array([2, 0], np.float32), "u": updates},
              lambda net: net.add_scatter("layer", ["x", "i", "u"], "y", axis=1, mode=mode), expected)
    updates = floats(2, 2)
    expected = table.copy()
    expected[[1, 4], [2, 0]] += updates
    exact("scatter_nd", {"x": table, "i": pairs, "u": updates},
          lambda net: net.add_scatter_nd("layer", ["x", "i", "u"], "y", mode="ADD"), expected)
    places, updates = np.argsort(floats(5, 4, 2), axis=1)[:, :2].astype(np.float32), floats(5, 2, 2)
    expected = table.copy()
    np.put_along_axis(expected, places.astype(int), updates, 1)
    exact("scatter_along_axis", {"x": table, "i": places, "u": updates},
          lambda net: net.add_scatter_along_axis("layer", ["x", "i", "u"], "y", axis=1), expected)
    exact("where_nonzero", {"x": truth["x"]}, lambda net: net.add_where_nonzero("layer", "x", "y"),
          np.argwhere(truth["x"]))
    exact("one_hot", {"x": np.array([2, 0, 3], np.float32)}, lambda net: net.add_one_hot(
        "layer", ["x"], "y", one_hot_vector_size=4, axis=-1, on_value=2, off_value=-1),
        np.where(np.arange(4) == np.array([2, 0, 3])[:, None], 2, -1))

    exact("transpose", {"x": rank4}, lambda net: net.add_transpose("layer", [2, 0, 3, 1], "x", "y"), rank4.transpose(2, 0, 3, 1))
    exact("reshape_static", {"x": rank4}, lambda net: net.add_reshape_static("layer", "x", "y", [4, -1, 2]),
          rank4.reshape(4, -1, 2))
    exact("rank_preserving_reshape", {"x": rank4}, lambda net: net.add_rank_preserving_reshape("layer", "x", "y", [0, -1, 2, 0]),
          rank4.reshape(2, -1, 2, 2))
    exact("reshape_like", {"x": rank4, "z0": floats(6, 8)}, lambda net: net.add_reshape_like("layer", ["x", "z0"], "y"),
          rank4.reshape(6, 8))
    exact("reshape_dynamic", {"x": rank4, "z0": np.array([6, -1], np.float32)},
          lambda net: net.add_reshape_dynamic("layer", ["x", "z0"], "y"), rank4.reshape(6, 8))
    exact("squeeze", {"x": floats(1, 3, 1, 2)[:, :, :] * 0 + 2}, lambda net: net.add_squeeze("layer", "x", "y", axes=[0, 2]),
          np.full((3, 2), 2))
    exact("expand_dims", {"x": x}, lambda net: net.add_expand_dims("layer", "x", "y", axes=[0, -1]), x[None, ..., None])
    exact("flatten_to_2d", {"x": rank4}, lambda net: net.add_flatten_to_2d("layer", "x", "y", axis=2), rank4.reshape(6, 8))
    exact("get_shape", {"x": rank4}, lambda net: net.add_get_shape("layer", "x", "y"), np.array(rank4.shape))
    exact("broadcast_to_static", {"x": z}, lambda net: net.add_broadcast_to_static("layer", "x", "y", [2, 3, 4]),
          np.broadcast_to(z, (2, 3, 4)))
    exact("broadcast_to_like", {"x": z, "z0": x}, lambda net: net.add_broadcast_to_like("layer", ["x", "z0"], "y"),
          np.broadcast_to(z, (2, 3, 4)))
    exact("tile", {"x": x}, lambda net: net.add_tile("layer", "x", "y", reps=[2, 1, 3]), np.tile(x, (2, 1, 3)))
    exact("stack", {"x": x, "z0": x * 2}, lambda net: net.add_stack("layer", ["x", "z0"], "y", axis=1), np.stack([x, x * 2], 1))
    exact("concat_nd", {"x": x, "z0": x * 2}, lambda net: net.add_concat_nd("layer", ["x", "z0"], "y", axis=2),
          np.concatenate([x, x * 2], 2))
    exact("concat_interleaved", {"x": x, "z0": x * 2}, lambda net: net.add_concat_nd(
        "layer", ["x", "z0"], "y", axis=1, interleave=True), np.stack([x, x * 2], 2).reshape(2, 6, 4))
    exact("split_nd", {"x": rank4}, lambda net: net.add_split_nd("layer", "x", ["y", "z"], axis=2, split_sizes=[1, 3]),
          rank4[:, :, :1], rank4[:, :, 1:])
    exact("slice_static", {"x": rank4}, lambda net: net.add_slice_static(
        "layer", "x", "y", [0, 2, -1, 1], [2, 0, -4, 0], [1, -1, -2, 1],
        [False, True, False, False], [True, True, False, False], [False, False, False, True]),
        rank4[0:, ::-1, -1:-4:-2, 1])
    exact("slice_dynamic", {"x": table, "b": np.array([1, 0, 0], np.float32), "e": np.array([4, 3, 2], np.float32)},
          lambda net: net.add_slice_dynamic("layer", ["x", "b", "e"], "y", strides=[2, 1, 1]), table[1:4:2, 0:3])
    exact("slice_by_size", {"x": table, "b": np.array([2], np.float32)},
          lambda net: net.add_slice_by_size("layer", ["x", "b"], "y", axis=0, size=2), table[2:4])
    exact("sliding_windows", {"x": table}, lambda net: net.add_sliding_windows("layer", "x", "y", axis=0, window_size=3, step=2),
          np.stack([table[0:3], table[2:5]]))
    exact("reverse", {"x": rank4}, lambda net: net.add_reverse("layer", "x", "y", [False, True, False, True]),
          rank4[:, ::-1, :, ::-1])
    lengths = np.array([2, 4], np.float32)
    expected = x.copy().transpose(0, 2, 1)
    source = expected.copy()
    expected[0, :2], expected[1] = expected[0, :2][::-1].copy(), expected[1][::-1].copy()
    exact("reverse_sequence", {"x": source, "l": lengths},
          lambda net: net.add_reverse_sequence("layer", ["x", "l"], "y", batch_axis=0, seq_axis=1), expected)
    matrix = floats(2, 5, 6)
    band = np.array([[-1 <= c - r <= 2 for c in range(6)] for r in range(5)])
    exact("matrix_band_part", {"x": matrix}, lambda net: net.add_matrix_band_part("layer", "x", "y", 1, 2), matrix * band)
    exact("lower_triangular", {"x": matrix}, lambda net: net.add_lower_triangular("layer", "x", "y", 1), np.tril(matrix, 1))
    exact("upper_triangular", {"x": matrix}, lambda net: net.add_upper_triangular("layer", "x", "y", -1), np.triu(matrix, -1))
    exact("constant_pad", {"x": x}, lambda net: net.add_constant_pad("layer", ["x"], "y", 1.5, pad_to_given_output_size_mode=False,
                                                                    pad_amounts=[0, 1, 2, 0, 0, 3]),
          np.pad(x, ((0, 1), (2, 0), (0, 3)), constant_values=1.5))

    exact("softmax_nd", {"x": x}, lambda net: net.add_softmax_nd("layer", "x", "y", axis=1), run("Softmax", x, axis=1))
    w, b = floats(5, 4), floats(5)
    exact("inner_product_exact", {"x": x}, lambda net: net.add_inner_product("layer", w, b, 4, 5, True, "x", "y"), x @ w.T + b)
    left, right = floats(2, 3, 4), floats(2, 5, 4)
    exact("matmul", {"x": left, "z0": right}, lambda net: net.add_batched_mat_mul(
        "layer", ["x", "z0"], "y", transpose_b=True), left @ right.transpose(0, 2, 1))
    w, b = floats(4, 5), floats(5)
    exact("matmul_weights", {"x": left}, lambda net: net.add_batched_mat_mul(
        "layer", ["x"], "y", weight_matrix_rows=4, weight_matrix_columns=5, W=w, bias=b), left @ w + b)
    words, b = floats(3, 7), floats(3)
    exact("embedding_nd", {"x": np.array([[2], [6]], np.float32)}, lambda net: net.add_embedding_nd(
        "layer", "x", "y", 7, 3, words, b), words.T[[2, 6]] + b)
    gamma, beta = floats(3, 4), floats(3, 4)
    exact("layer_normalization", {"x": x}, lambda net: net.add_layer_normalization(
        "layer", "x", "y", [3, 4], gamma, beta, eps=1e-3), run("LayerNormalization", x, gamma, beta, axis=1, epsilon=1e-3))
    exact("fill_like", {"x": x}, lambda net: net.add_fill_like("layer", "x", "y", 2.5), np.full((2, 3, 4), 2.5))
    exact("range_dynamic", {"x": np.array([7], np.float32)}, lambda net: net.add_range_dynamic(
        "layer", ["x"], "y", start=1, step=1.5), np.arange(1, 7, 1.5))
    constant = floats(3, 1)

    def with_constant(net):
        net.add_load_constant_nd("constant", "c", constant, [3, 1])
        net.add_add_broadcastable("layer", ["x", "c"], "y")
    exact("load_constant_nd", {"x": x}, with_constant, x + constant)
    volume, w, b = floats(1, 2, 5, 4, 6), floats(3, 2, 3, 2, 2), floats(3)
    exact("convolution_3d", {"x": volume}, lambda net: net.add_convolution3d(
        "layer", 2, 3, 3, 2, 2, w, b, True, groups=1, stride_depth=2, stride_height=1, stride_width=1, padding_mode="valid",
        input_name="x", output_name="y"), run("Conv", volume, w, b, strides=[2, 1, 1]))
    exact("pool_3d", {"x": volume}, lambda net: net.add_pooling3d(
        "layer", "x", "y", "MAX", 2, 2, 2, stride_depth=2, stride_height=2, stride_width=2, padding_mode="valid"),
        run("MaxPool", volume, kernel_shape=[2, 2, 2], strides=[2, 2, 2]))
    exact("pool_3d_global", {"x": volume}, lambda net: net.add_global_pooling3d("layer", "x", "y", "AVERAGE"),
          run("GlobalAveragePool", volume))

    # Four boxes (centre and size), of which the second overlaps the first and the last scores too little.
    boxes = np.array([[[5, 5, 4, 4], [5.5, 5, 4, 4], [12, 12, 4, 4], [20, 20, 4, 4]]], np.float32)
    scores = np.array([[[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.05, 0.1]]], np.float32)
    exact("nms", {"x": boxes, "s": scores}, lambda net: net.add_nms(
        "layer", ["x", "s"], ["y", "z", "u", "v"], iou_threshold=0.5, score_threshold=0.2, max_boxes=3),
        np.concatenate([boxes[:, [0, 2]], np.zeros((1, 1, 4))], 1), np.concatenate([scores[:, [0, 2]], np.zeros((1, 1, 2))], 1),
        np.array([[0, 2, -1]]), np.array([2]))

    # By classes, the second box stays. The boxes with the best scores come first, regardless of their class.
    scores = np.array([[[0.7, 0.1], [0.2, 0.8], [0.3, 0.9], [0.05, 0.1]]], np.float32)
    exact("nms_per_class", {"x": boxes, "s": scores}, lambda net: net.add_nms(
        "layer", ["x", "s"], ["y", "z", "u", "v"], iou_threshold=0.5, score_threshold=0.2, max_boxes=4, per_class_suppression=True),
        np.concatenate([boxes[:, [2, 1, 0]], np.zeros((1, 1, 4))], 1), np.concatenate([scores[:, [2, 1, 0]], np.zeros((1, 1, 2))], 1),
        np.array([[2, 1, 0, -1]]), np.array([3]))

    def branched(net):
        layer = net.add_branch("branch", "c")
        from coremltools.models.neural_network import NeuralNetworkBuilder
        first = NeuralNetworkBuilder(nn_spec=layer.branch.ifBranch, disable_rank5_shape_mapping=True)
        first.add_activation("linear", "LINEAR", "x", "y", [2, 1])
        second = NeuralNetworkBuilder(nn_spec=layer.branch.elseBranch, disable_rank5_shape_mapping=True)
        second.add_activation("relu", "RELU", "x", "y")
    exact("branch_taken", {"c": np.array([1], np.float32), "x": x}, branched, 2 * x + 1)
    exact("branch_not_taken", {"c": np.array([0], np.float32), "x": x}, branched, np.maximum(x, 0))

    def looped(net):
        net.add_copy("start", "x", "y")
        layer = net.add_loop("loop", max_iterations=3)
        from coremltools.models.neural_network import NeuralNetworkBuilder
        body = NeuralNetworkBuilder(nn_spec=layer.loop.bodyNetwork, disable_rank5_shape_mapping=True)
        body.add_elementwise("double", ["y"], "twice", "MULTIPLY", 2)
        body.add_copy("again", "twice", "y")
    exact("loop", {"x": x}, looped, 8 * x)


def make_crops(case, floats):
    def exact(name, inputs, build, *expected):
        case(name, inputs, build, list(expected), exact=True)

    image = floats(1, 1, 2, 6, 7)
    rules = {
        "STRICT_ALIGN_ENDPOINTS_MODE": lambda i, length, m: i * length / (m - 1),
        "ALIGN_ENDPOINTS_MODE": lambda i, length, m: i * length / (m - 1),
        "UPSAMPLE_MODE": lambda i, length, m: i * (length + 1) / m,
        "ROI_ALIGN_MODE": lambda i, length, m: (i + 0.5) * max(1, length) / m,
    }
    corners = np.array([[1, 0.5, 4, 5.5], [0, 2, 2.5, 3], [3, 1, 5, 6]], np.float32)

    def cropped(rule, boxes, height, width):
        results = []
        for top, left, bottom, right in boxes:
            plane = image[0, 0]
            for axis, start, end, m in [(1, top, bottom, height), (2, left, right, width)]:
                positions = start + np.clip(rule(np.arange(m), end - start, m), 0, end - start)
                low = np.floor(positions).astype(int)
                high = np.minimum(low + 1, plane.shape[axis] - 1)
                part = (positions - low).reshape([-1 if a == axis else 1 for a in range(3)])
                plane = np.take(plane, low, axis) * (1 - part) + np.take(plane, high, axis) * part
            results.append(plane[None])
        return np.array(results)
    for mode, rule in rules.items():
        exact(f"crop_{mode.lower()}", {"x": image, "s": corners.reshape(3, 1, 4, 1, 1)}, lambda net: net.add_crop_resize(
            "layer", ["x", "s"], "y", 4, 3, mode=mode, box_indices_mode="CORNERS_HEIGHT_FIRST"), cropped(rule, corners, 4, 3))
    centered = np.stack([np.zeros(3), (corners[:, 1] + corners[:, 3]) / 12, (corners[:, 0] + corners[:, 2]) / 10,
                         (corners[:, 3] - corners[:, 1]) / 6, (corners[:, 2] - corners[:, 0]) / 5], 1).astype(np.float32)
    exact("crop_centered_normalized", {"x": image, "s": centered.reshape(3, 1, 5, 1, 1)}, lambda net: net.add_crop_resize(
        "layer", ["x", "s"], "y", 4, 3, mode="STRICT_ALIGN_ENDPOINTS_MODE", normalized_roi=True,
        box_indices_mode="CENTER_SIZE_WIDTH_FIRST"), cropped(rules["STRICT_ALIGN_ENDPOINTS_MODE"], corners, 4, 3))
