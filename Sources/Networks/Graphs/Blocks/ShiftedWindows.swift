import Tensors

/// The blocks of Swin Transformer, on images with the channels last, `[N, H, W, C]`.
///
/// Reference: Liu et al., 2021, https://arxiv.org/abs/2103.14030
extension GraphBuilder.Value {
    /// Attention within windows, then a perceptron, each beside a shortcut: `[N, H, W, C]` → `[N, H, W, C]`.
    ///
    /// - Parameters:
    ///   - heads: The number of heads of the attention.
    ///   - window: The number of rows and of columns of a window, which divides H and W.
    ///   - shift: The number of rows and columns by which the image is moved before it is cut into windows. Tokens that
    ///     lie side by side only because of that do not attend to each other.
    func windowEncoder(heads: Int, window: Int, shift: Int) -> Self {
        block("windowEncoder") { input in
            input
                .residual { $0.layerNormalization().windowAttention(heads: heads, window: window, shift: shift) }
                .residual { $0.layerNormalization().tokenPerceptron(hidden: 4 * ($0.lastExtent ?? 1)) }
        }
    }

    /// Joins each two rows and columns of pixels to one of twice the channels: `[N, H, W, C]` → `[N, H/2, W/2, 2 · C]`.
    func mergedPatches() -> Self {
        block("merge") { input in
            guard let shape = builder.extents(of: input), shape.count == 4, let height = shape[1], let width = shape[2],
                let channels = shape[3], height % 2 == 0, width % 2 == 0
            else { return builder.refuse(Reshape.name, kind: "merge", "takes even extents", after: input) }
            // The four pixels of a square, column by column.
            return input.reshape([0, height / 2, 2, width / 2, 2, channels]).transpose([0, 1, 3, 4, 2, 5])
                .reshape([0, height / 2, width / 2, 4 * channels]).layerNormalization()
                .rowLinear(2 * channels, bias: false).named("reduction")
        }
    }

    private var lastExtent: Int? { builder.extents(of: self)?.last ?? nil }

    private func windowAttention(heads: Int, window: Int, shift: Int) -> Self {
        block("windowAttention") { input in
            guard let shape = builder.extents(of: input), shape.count == 4, let height = shape[1], let width = shape[2],
                let channels = shape[3], window >= 1, height % window == 0, width % window == 0
            else {
                return builder.refuse(
                    Reshape.name, kind: "windowAttention",
                    "takes an image [N, H, W, C] whose extents are multiples of \(window)", after: input)
            }
            let (rows, columns, count) = (height / window, width / window, window * window)
            let windows = input.rolled(by: -shift, axis: 1).rolled(by: -shift, axis: 2)
                .reshape([0, rows, window, columns, window, channels]).transpose([0, 1, 3, 2, 4, 5])
                .reshape([-1, count, channels])
            let attended = windows.attention(heads: heads) { scores in
                let biased = scores.added(to: scores.positionBias(heads: heads, window: window))
                guard shift > 0, let mask = biased.mask(height: height, width: width, window: window, shift: shift)
                else { return biased }
                return biased.reshape([-1, rows * columns, heads, count, count]).added(to: mask)
                    .reshape([-1, heads, count, count])
            }
            return attended.reshape([-1, rows, columns, window, window, channels]).transpose([0, 1, 3, 2, 4, 5])
                .reshape([-1, height, width, channels])
                .rolled(by: shift, axis: 1).rolled(by: shift, axis: 2)
        }
    }

    /// What is added to scores for the distance between two tokens of a window: `[1, heads, tokens, tokens]`, from a
    /// table `[(2 · window − 1)², heads]`.
    private func positionBias(heads: Int, window: Int) -> Self {
        let count = window * window
        let distances = (0..<count * count).map { pair -> Int in
            let (first, second) = (pair / count, pair % count)
            let down = first / window - second / window + window - 1
            let right = first % window - second % window + window - 1
            return down * (2 * window - 1) + right
        }
        let table = builder.weight("positions", [(2 * window - 1) * (2 * window - 1), heads])
        return table.gather(distances, shape: [count, count], axis: 0).transpose([2, 0, 1])
            .reshape([1, heads, count, count])
    }

    /// What is added to scores so that only tokens of one region attend to each other: 0 or −100,
    /// `[1, windows, 1, tokens, tokens]`.
    private func mask(height: Int, width: Int, window: Int, shift: Int) -> Self? {
        func region(_ position: Int, _ extent: Int) -> Int {
            position < extent - window ? 0 : position < extent - shift ? 1 : 2
        }
        let (columns, count) = (width / window, window * window)
        let windowCount = height / window * columns
        let regions = (0..<windowCount).map { number in
            (0..<count).map { token in
                let row = number / columns * window + token / window
                let column = number % columns * window + token % window
                return 3 * region(row, height) + region(column, width)
            }
        }
        let numbers = regions.flatMap { tokens in
            tokens.flatMap { first in tokens.map { Int8(first == $0 ? 0 : -100) } }
        }
        guard let tensor = try? Tensor(numbers, shape: [1, windowCount, 1, count, count]) else { return nil }
        return builder.append(Cast(to: .float32), kind: "mask", [builder.constant("regions", tensor)])
    }
}
