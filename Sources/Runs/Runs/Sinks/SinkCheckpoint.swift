import Platform

/// The state of a sink at a commit, from which another sink can continue.
public struct SinkCheckpoint: Sendable, Equatable, Codable {
    /// The lengths of the sink's files in bytes.
    public var byteCounts: [Int]
    /// The checksums of the sink's files, as text; nil in the manifests of earlier versions.
    public var checksums: [String]?
    /// Numbers on which later rows depend, such as column widths.
    public var state: [String: Int]

    /// Makes a checkpoint.
    public init(byteCounts: [Int] = [], checksums: [String]? = nil, state: [String: Int] = [:]) {
        self.byteCounts = byteCounts
        self.checksums = checksums
        self.state = state
    }
}

extension SinkTarget {
    /// Opens the file, or the one beside it whose name has `suffix` appended, to write after the bytes that an earlier
    /// sink committed.
    ///
    /// - Parameter index: The index of its length in the checkpoint.
    /// - Throws: ``OutputError``, also when the committed bytes are missing or have changed.
    package func file(suffix: String = "", index: Int = 0) throws(OutputError) -> RowFile {
        guard let path else { return RowFile() }
        if let stream = try OutputFile(streamingTo: path) { return RowFile(stream) }
        let checksum = try checksum(suffix: suffix, index: index)
        return RowFile(try OutputFile(path: path + suffix, keeping: keptCount(index), calls: calls), checksum: checksum)
    }

    /// The number of committed bytes of a file.
    func keptCount(_ index: Int) -> Int {
        let counts = checkpoint?.byteCounts ?? []
        return index < counts.count ? counts[index] : 0
    }

    /// The checksum of a file's committed bytes, without its header.
    ///
    /// - Parameter header: The file's header at the commit, if it has been overwritten since.
    /// - Throws: ``OutputError`` when the committed bytes are missing or have changed.
    package func checksum(suffix: String = "", index: Int = 0, header: [UInt8] = []) throws(OutputError) -> Checksum {
        let count = keptCount(index)
        guard let path, count > header.count else { return Checksum() }
        let file = path + suffix
        let body: Checksum
        do throws(ApusError) {
            body = try Checksum(of: file, in: header.count..<count)
        } catch {
            if case .file(let name, let message) = error { throw .failed(name: name, message: message) }
            throw .failed(name: file, message: "\(error)")
        }
        var whole = Checksum(header)
        whole.add(body, byteCount: count - header.count)
        if let expected = checkpoint?.checksums, index < expected.count, expected[index] != whole.text {
            throw .failed(name: file, message: "the \(count) bytes that were committed have changed since")
        }
        return body
    }
}
