/// The progress of a run.
public struct RunProgress: Sendable {
    /// The number of records of the run; nil when not known.
    public var total: Int?
    /// The number of rows with an answer, including those of earlier parts of the run.
    public var succeeded: Int
    /// The number of rows with an error, including those of earlier parts of the run.
    public var failed: Int
    /// The number of rows that existed when the run was resumed.
    public var resumed: Int

    /// The number of rows.
    public var done: Int { succeeded + failed }

    package init(total: Int?, succeeded: Int, failed: Int, resumed: Int) {
        (self.total, self.succeeded, self.failed, self.resumed) = (total, succeeded, failed, resumed)
    }
}
