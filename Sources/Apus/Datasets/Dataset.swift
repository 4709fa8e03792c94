/// A picture of a dataset, with the name that its result carries.
public struct ImageRecord: Sendable {
    /// Unique in its dataset and the same in every run.
    public let id: String
    /// Where the picture is.
    public let source: ImageSource

    /// Makes a record.
    public init(id: String, source: ImageSource) {
        self.id = id
        self.source = source
    }
}

/// Where pictures come from. Kinds of datasets are made by leading-dot functions: `.imageFolder("photos")`.
public protocol Dataset: Sendable {
    /// The records, in an order that is the same in every run.
    ///
    /// - Throws: ``ApusError`` when the dataset cannot be listed, or two records have the same id.
    func records() throws(ApusError) -> [ImageRecord]
}
