/// Every case, by family.
package enum ConformanceCases {
    package static let all: [ConformanceCase] =
        convolutions + transposedConvolutions + pools + matrixProducts + normalizations + elementwise + broadcasts
        + rearrangements + reductions + resizes

    /// The case called `name`.
    package static func find(_ name: String) -> ConformanceCase? {
        all.first { $0.name == name }
    }
}
