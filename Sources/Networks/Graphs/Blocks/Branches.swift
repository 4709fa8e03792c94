extension GraphBuilder.Value {
    /// Applies several branches to this value and joins their results along the channels, as Inception does.
    ///
    ///     image.branches(
    ///         { $0.convolution(64, kernel: 1) },
    ///         { $0.averagePool(3, padding: .same).convolution(32, kernel: 1) })
    ///
    /// Blocks: `branch1`, `branch2`, …; then `concat`.
    ///
    /// Programmer mistakes, thrown by ``Graph/build(_:_:)``: results that differ in height or width.
    public func branches(_ branches: ((Self) -> Self)...) -> Self {
        block("branches") { input in
            builder.concat(branches.map { input.block("branch", $0) }).named("concat")
        }
    }
}
