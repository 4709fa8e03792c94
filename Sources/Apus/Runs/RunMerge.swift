import Foundation

/// Joins the outputs of the shards of one run, in the order of the shards.
public struct RunMerge: Sendable {
    /// The outputs with their manifests, by shard.
    private let parts: [(path: String, manifest: RunManifest)]

    /// The form of the outputs.
    package var format: String { parts.first?.manifest.format ?? "" }

    /// The outputs, and what lies beside them.
    package var files: [String] {
        parts.flatMap { part in
            ["", ".run.json", NumPySink.recordsSuffix].map { part.path + $0 }
        }
    }

    /// Reads the manifests.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the outputs are not all shards of one run, each once and finished, naming what
    ///   is missing or differs; ``ApusError/file(path:message:)``.
    public init(_ outputs: [String]) throws(ApusError) {
        var parts: [Int: (path: String, manifest: RunManifest)] = [:]
        var first: (path: String, manifest: RunManifest)?
        for path in outputs {
            guard let manifest = try RunManifest.read(besideOutput: path) else {
                throw .file(path: path, message: "has no \(RunManifest.path(of: path)) beside it")
            }
            guard manifest.state == .finished else {
                throw .usage("\(path): its run is not finished; go on with it first (--resume)")
            }
            guard let text = manifest.identity.shard, let shard = Shard(text) else {
                throw .usage("\(path): is the output of a whole run, not of a shard")
            }
            if let first {
                var identity = manifest.identity
                identity.shard = first.manifest.identity.shard
                let differences = identity.differences(from: first.manifest.identity)
                guard differences.isEmpty else {
                    throw .usage(
                        "\(path): is of another run than \(first.path): \(differences.joined(separator: "; "))")
                }
                let count = first.manifest.identity.shard.flatMap { Shard($0) }?.count
                guard count == shard.count else {
                    throw .usage("\(path): is shard \(shard), but \(first.path) is one of \(count ?? 0)")
                }
            } else {
                first = (path, manifest)
            }
            if let other = parts[shard.number] {
                throw .usage("\(path) and \(other.path): both are shard \(shard)")
            }
            parts[shard.number] = (path, manifest)
        }
        guard let first, let count = first.manifest.identity.shard.flatMap({ Shard($0) })?.count else {
            throw .usage("there is nothing to merge")
        }
        let missing = (1...count).filter { parts[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.map { "\($0)/\(count)" }.joined(separator: ", ")
            throw .usage("these shards are missing: \(names)")
        }
        self.parts = parts.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Writes the joined output and its manifest.
    ///
    /// - Throws: ``ApusError``; `OutputError`.
    public func write(to path: String) throws -> RunManifest {
        guard let first = parts.first, !parts.contains(where: { $0.path == path }) else {
            throw ApusError.usage("\(path): is one of the outputs to merge")
        }
        let reservation = try RunReservation(path: path)
        var manifest = first.manifest
        manifest.command = RunManifest.merging
        manifest.identity.shard = nil
        manifest.rows = RunRows()
        manifest.total = 0
        manifest.checkpoint = SinkCheckpoint()
        manifest.state = .running
        for part in parts {
            let base = manifest.rows.finished.count
            for position in 0..<part.manifest.rows.finished.count { manifest.rows.finished.insert(base + position) }
            manifest.rows.succeeded += part.manifest.rows.succeeded
            manifest.rows.failed += part.manifest.rows.failed
        }
        manifest.total = manifest.rows.finished.count
        try withExtendedLifetime(reservation) {
            switch manifest.format {
            case SinkKind.jsonLines.name: try join(path, suffix: "")
            case SinkKind.csv.name: try join(path, suffix: "", hasHeading: true)
            case SinkKind.numPy.name:
                try joinArrays(path)
                try join(path, suffix: NumPySink.recordsSuffix)
            case SinkKind.sqlite.name: try SQLiteMerge.join(parts.map(\.path), into: path)
            default: throw ApusError.usage("\(first.path): outputs in the format \(manifest.format) cannot be merged")
            }
            manifest.state = .finished
            try manifest.write(besideOutput: path, calls: SystemCalls())
        }
        return manifest
    }

    /// Puts files behind each other; of those with a heading line, only the first keeps it.
    private func join(_ path: String, suffix: String, hasHeading: Bool = false) throws {
        try OutputFile.replace(path + suffix) { file in
            for (index, part) in parts.enumerated() {
                var start = 0
                if hasHeading, index > 0 {
                    let beginning = try FileContent.read(part.path + suffix, from: 0, count: 1 << 16)
                    start = beginning.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? beginning.count
                }
                try copy(part.path + suffix, from: start, to: file)
            }
            try file.synchronize()
        }
    }

    /// Puts the rows of arrays behind each other.
    private func joinArrays(_ path: String) throws {
        var header: NumPyHeader?
        var rowCount = 0
        for part in parts {
            let next = try NumPySink.header(of: part.path)
            guard header.map({ $0.shape.dropFirst() == next.shape.dropFirst() }) ?? true else {
                throw ApusError.usage("\(part.path): its rows have other extents")
            }
            rowCount += next.shape.first ?? 0
            header = header ?? next
        }
        guard let header else { return }
        let shape = [rowCount] + header.shape.dropFirst()
        try OutputFile.replace(path) { file in
            try file.write(
                numbers: NumPyHeader(.float32, shape: shape).encoded(byteCount: NumPySink.headerByteCount))
            for part in parts { try copy(part.path, from: NumPySink.headerByteCount, to: file) }
            try file.synchronize()
        }
    }

    private func copy(_ path: String, from start: Int, to file: OutputFile) throws {
        var start = start
        while true {
            let piece = try FileContent.read(path, from: start, count: 1 << 20)
            if piece.isEmpty { return }
            try file.write(numbers: Array(piece))
            start += piece.count
        }
    }
}
