/// The ids of the rows of an index.
protocol EmbeddingIDs: Sendable {
    /// The positions of records that have an error and no vector.
    var errors: Set<Int> { get }
    /// The id of a row.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    func id(_ position: Int) throws -> String
    /// The position of the row with an id; nil when there is none.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    func position(of id: String) throws -> Int?
}

/// The ids of an index in memory.
struct HeldIDs: EmbeddingIDs {
    let ids: [String]
    let errors: Set<Int>

    func id(_ position: Int) -> String { ids[position] }
    func position(of id: String) -> Int? { ids.firstIndex(of: id) }
}
