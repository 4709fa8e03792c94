/// Every case, by family.
package enum ConformanceCases {
    package static let all: [ConformanceCase] =
        convolutions + transposedConvolutions + pools + matrixProducts + summations + normalizations
        + elementwise + casts + limited + broadcasts + choices + rearrangements + reductions + searches + resizes
        + indexing + quantizations + narrowProducts
        + sequences + samplings + extremes

    /// The case called `name`.
    package static func find(_ name: String) -> ConformanceCase? {
        all.first { $0.name == name }
    }
}
