import Tensors

extension GraphBuilder {
    /// Joins values along an axis, by default along the channels of images.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: no values; extents that differ along another axis.
    public func concat(_ values: [Value], axis: Int = 1) -> Value {
        append(Concat(axis: axis), kind: "concat", values)
    }
}

extension GraphBuilder.Value {
    /// Joins this value and others along an axis, by default along the channels of images.
    public func concat(with others: Self..., axis: Int = 1) -> Self {
        builder.concat([self] + others, axis: axis)
    }

    /// The sum of two values; an extent of 1 repeats.
    public func added(to other: Self) -> Self { builder.append(Add(), kind: "add", [self, other]) }

    /// The difference of two values; an extent of 1 repeats.
    public func subtracting(_ other: Self) -> Self { builder.append(Sub(), kind: "subtract", [self, other]) }

    /// The product of two values, element by element; an extent of 1 repeats.
    public func multiplied(by other: Self) -> Self { builder.append(Mul(), kind: "multiply", [self, other]) }

    /// Every element multiplied by a number.
    public func multiplied(by factor: Float) -> Self {
        do {
            let number = try Tensor([factor], shape: [])
            return builder.append(
                Mul(), kind: "multiply", [self], constants: [GraphBuilder.Constant(suffix: "factor", content: number)])
        } catch {
            return builder.refuse(Mul.name, kind: "multiply", error.description, after: self)
        }
    }

    /// The product of two matrices, or of each two of two stacks: `[…, M, K]` and `[…, K, N]` → `[…, M, N]`.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: extents that do not fit together.
    public func matrixProduct(with other: Self) -> Self {
        builder.append(MatMul(), kind: "matrixProduct", [self, other])
    }

    /// The sum of two values; an extent of 1 repeats.
    public static func + (left: Self, right: Self) -> Self { left.added(to: right) }

    /// The difference of two values; an extent of 1 repeats.
    public static func - (left: Self, right: Self) -> Self { left.subtracting(right) }

    /// The product of two values, element by element; an extent of 1 repeats.
    public static func * (left: Self, right: Self) -> Self { left.multiplied(by: right) }

    /// Joins all extents but the first: `[N, C, H, W]` → `[N, C · H · W]`.
    public func flatten() -> Self { builder.append(Flatten(axis: 1), kind: "flatten", [self]) }

    /// The same elements with another shape.
    ///
    /// - Parameter extents: The new extents. At most one may be −1: it follows from the number of elements. An extent
    ///   of 0 means the input's extent of the same axis, so that `[0, -1]` keeps the batch.
    public func reshape(_ extents: [Int]) -> Self {
        do {
            let list = try Tensor(extents.map(Int64.init), shape: [extents.count])
            return builder.append(
                Reshape(), kind: "reshape", [self],
                constants: [GraphBuilder.Constant(suffix: "shape", content: list)])
        } catch {
            return builder.refuse(Reshape.name, kind: "reshape", error.description, after: self)
        }
    }

    /// The value with permuted axes: axis `i` of the result is axis `permutation[i]` of this value.
    public func transpose(_ permutation: [Int]) -> Self {
        builder.append(Transpose(permutation: permutation), kind: "transpose", [self])
    }
}
