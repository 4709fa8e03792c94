extension GraphBuilder.Value {
    /// Adds what `body` computes to its input.
    ///
    ///     image.residual { $0.convolution(128, kernel: 3, padding: .same).relu() }
    ///     image.residual {
    ///         $0.convolution(256, kernel: 3, stride: 2, padding: .explicit(1))
    ///     } projection: {
    ///         $0.convolution(256, kernel: 1, stride: 2)
    ///     }
    ///
    /// Reference: He et al., 2015, https://arxiv.org/abs/1512.03385
    ///
    /// - Parameters:
    ///   - body: The layers beside the shortcut.
    ///   - projection: Layers on the shortcut, needed where `body` changes the shape; nil for none.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: shapes at the addition that differ.
    public func residual(_ body: (Self) -> Self, projection: ((Self) -> Self)? = nil) -> Self {
        block("residual") { input in
            let result = body(input)
            let shortcut = projection.map { $0(input) } ?? input
            guard let left = result.shape, let right = shortcut.shape, left != right else {
                return result.added(to: shortcut).named("add")
            }
            return builder.refuse(
                Add.name, kind: "add", "the block gives \(left), but its shortcut \(right)", after: input
            ).named("add")
        }
    }
}
