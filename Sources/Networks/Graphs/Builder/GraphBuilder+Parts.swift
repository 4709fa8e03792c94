import Tensors

extension GraphBuilder.Value {
    /// Cuts a value into parts along an axis, by default along the channels of images.
    ///
    ///     let parts = image.split([32, 32])       // [N, 64, 56, 56] → two of [N, 32, 56, 56]
    ///
    /// - Parameter extents: The extent of each part; their sum is that of the axis.
    /// - Returns: As many values as there are extents.
    public func split(_ extents: [Int], axis: Int = 1) -> [Self] {
        do {
            let list = try Tensor(extents.map(Int64.init), shape: [extents.count])
            return builder.append(
                Split(axis: axis), kind: "split", [self],
                constants: [GraphBuilder.Constant(suffix: "extents", content: list)], resultCount: extents.count)
        } catch {
            let value = builder.refuse(Split.name, kind: "split", error.description, after: self)
            return extents.map { _ in value }
        }
    }

    /// The elements of a range along an axis: `tokens.slice(1..<197, axis: 1)`.
    public func slice(_ range: Range<Int>, axis: Int) -> Self {
        do {
            var constants: [GraphBuilder.Constant] = []
            for (name, number) in [("starts", range.lowerBound), ("ends", range.upperBound), ("axes", axis)] {
                constants.append(.init(suffix: name, content: try Tensor([Int64(number)], shape: [1])))
            }
            return builder.append(Slice(), kind: "slice", [self], constants: constants)
        } catch {
            return builder.refuse(Slice.name, kind: "slice", error.description, after: self)
        }
    }

    /// The elements at one position of an axis, which is left out: `[N, T, C]` → `[N, C]` for the axis 1.
    public func select(_ position: Int, axis: Int) -> Self { gather([position], shape: [], axis: axis) }

    /// The elements at several positions of an axis, which is replaced by the axes of `shape`.
    func gather(_ positions: [Int], shape: [Int], axis: Int) -> Self {
        do {
            let list = try Tensor(positions.map(Int64.init), shape: shape)
            return builder.append(
                Gather(axis: axis), kind: "gather", [self],
                constants: [GraphBuilder.Constant(suffix: "positions", content: list)])
        } catch {
            return builder.refuse(Gather.name, kind: "gather", error.description, after: self)
        }
    }

    /// The value, moved along an axis by `distance`; what leaves at the end comes back at the start.
    func rolled(by distance: Int, axis: Int) -> Self {
        guard let extent = builder.extents(of: self)?[axis], distance % extent != 0 else { return self }
        let start = ((-distance % extent) + extent) % extent
        return block("roll") {
            builder.concat([$0.slice(start..<extent, axis: axis), $0.slice(0..<start, axis: axis)], axis: axis)
        }
    }

    /// This value, of the extent 1 along the first axis, once for each image of `other`: `[1, …]` → `[N, …]`.
    func repeated(forImagesOf other: Self) -> Self {
        guard let extents = builder.extents(of: self)?.dropFirst().compactMap({ $0 }) else { return self }
        return block("repeat") { input in
            do {
                let count = builder.append(ShapeOperator(end: 1), kind: "count", [other])
                let rest = try builder.constant(
                    "extents", Tensor(extents.map(Int64.init), shape: [extents.count]))
                return builder.append(Expand(), kind: "expand", [input, builder.concat([count, rest], axis: 0)])
            } catch {
                return builder.refuse(Expand.name, kind: "repeat", "\(error)", after: input)
            }
        }
    }
}
