import Datasets
import FoundationEssentials
import Glibc
import Platform
import Predicting

/// Joins the outputs of the shards of one run.
///
///     let merge = try RunMerge(["part1.jsonl", "part2.jsonl"])
///     let manifest = try merge.write(to: "results.jsonl", isOrdered: true)
public struct RunMerge: Sendable {
    /// The output of a shard.
    package struct Part: Sendable {
        package let path: String
        package let manifest: RunManifest
        package let shard: Shard
    }

    /// The parts, in the order of the shards.
    package let parts: [Part]
    /// The name of the format of all parts.
    public let format: String

    /// The outputs, and the files beside them.
    package var files: [String] {
        parts.flatMap { part in
            ([""] + SideFileSuffix.ofRuns + [SideFileSuffix.records]).map { part.path + $0 }
        }
    }

    /// Reads the manifests.
    ///
    /// - Throws: ``ApusError/usage(_:)`` unless the outputs are all shards of one run, each given once and finished;
    ///   the message names what is missing or differs. ``ApusError/file(path:message:)``.
    public init(_ outputs: [String]) throws(ApusError) {
        var parts: [Int: Part] = [:]
        var first: Part?
        for path in outputs {
            let part = try Self.part(path)
            if let first {
                try Self.check(part, isOfTheRunOf: first)
            } else {
                first = part
            }
            if let other = parts.updateValue(part, forKey: part.shard.number) {
                throw .usage("\(path) and \(other.path): both are shard \(part.shard)")
            }
        }
        guard let first else { throw .usage("there is nothing to merge") }
        let sorted = parts.sorted { $0.key < $1.key }.map(\.value)
        if let missing = Self.missing(sorted.map(\.shard.number), of: first.shard.count) {
            throw .usage("these shards are missing: \(missing)")
        }
        self.parts = sorted
        format = first.manifest.format
        let (count, overflow) = sorted.reduce((0, false)) { sum, part in
            let (count, overflow) = sum.0.addingReportingOverflow(part.manifest.rows.finished.count)
            return (count, sum.1 || overflow)
        }
        guard !overflow, count == first.manifest.identity.listCount ?? count else {
            throw .usage(
                "the shards have \(overflow ? "too many" : "\(count)") rows in all, but their list has "
                    + "\(first.manifest.identity.listCount ?? 0) records")
        }
    }

    private static func part(_ path: String) throws(ApusError) -> Part {
        guard let manifest = try RunManifest.read(besideOutput: path) else {
            throw .file(path: path, message: "has no \(RunManifest.path(of: path)) beside it")
        }
        guard manifest.state == .finished else {
            throw .usage("\(path): its run is not finished; go on with it first (--resume)")
        }
        guard let text = manifest.identity.shard, let shard = Shard(text) else {
            throw .usage("\(path): is the output of a whole run, not of a shard")
        }
        return Part(path: path, manifest: manifest, shard: shard)
    }

    private static func check(_ part: Part, isOfTheRunOf first: Part) throws(ApusError) {
        var identity = part.manifest.identity
        identity.shard = first.manifest.identity.shard
        var differences = identity.differences(from: first.manifest.identity)
        if part.manifest.format != first.manifest.format {
            differences.append("the format was \(first.manifest.format) and is \(part.manifest.format)")
        }
        guard differences.isEmpty else {
            throw .usage(
                "\(part.path): is of another run than \(first.path): \(differences.joined(separator: "; "))")
        }
        guard first.shard.count == part.shard.count else {
            throw .usage("\(part.path): is shard \(part.shard), but \(first.path) is one of \(first.shard.count)")
        }
    }

    /// Why the output of a shard could not be merged with that of another one of its list in the same folder; nil when
    /// it can, or when there is none.
    static func obstacle(to manifest: RunManifest, at path: String) -> String? {
        guard let shard = manifest.identity.shard.flatMap({ Shard($0) }) else { return nil }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        for name in names.sorted() where name.hasSuffix(SideFileSuffix.manifest) {
            let other = folder + name.dropLast(SideFileSuffix.manifest.count)
            guard let earlier = try? RunManifest.read(besideOutput: other)?.identity,
                let otherShard = earlier.shard.flatMap({ Shard($0) }),
                otherShard.count == shard.count, otherShard != shard,
                earlier.modelFingerprint == manifest.identity.modelFingerprint,
                earlier.listFingerprint == manifest.identity.listFingerprint
            else { continue }
            var identity = manifest.identity
            identity.shard = earlier.shard
            let differences = identity.differences(from: earlier)
            guard !differences.isEmpty else { continue }
            return "\(path): cannot be merged with \(other), shard \(otherShard): "
                + differences.joined(separator: "; ")
        }
        return nil
    }

    /// The missing shards, as text; nil when none is missing.
    private static func missing(_ numbers: [Int], of count: Int) -> String? {
        let maximumShown = 8
        var phrases: [String] = []
        var gapCount = 0
        for (last, next) in zip([0] + numbers, numbers.map { $0 - 1 } + [count]) where last < next {
            gapCount += 1
            guard phrases.count < maximumShown else { continue }
            let end = next > last + 1 ? " to \(next)/\(count)" : ""
            phrases.append("\(last + 1)/\(count)\(end)")
        }
        if gapCount > maximumShown { phrases.append("and more") }
        return phrases.isEmpty ? nil : phrases.joined(separator: ", ")
    }

    /// Writes the joined output and its manifest, after comparing every part with its own manifest.
    ///
    /// - Parameter isOrdered: Whether rows come in the order of the list, rather than shard by shard.
    /// - Throws: ``ApusError``, also for a damaged part, before anything is written; `OutputError`.
    public func write(to path: String, isOrdered: Bool = false) throws -> RunManifest {
        guard let first = parts.first, !parts.contains(where: { Self.areOneFile($0.path, path) }) else {
            throw ApusError.usage("\(path): is one of the outputs to merge")
        }
        for part in parts {
            try part.manifest.verify(output: part.path)
            if isOrdered, format != SinkKind.sqlite.name { try part.manifest.verifyIndex(output: part.path) }
        }
        let reservation = try RunReservation(path: path)
        var manifest = first.manifest
        manifest.command = RunManifest.merging
        manifest.identity.shard = nil
        manifest.index = nil
        manifest.rows = RunRows()
        manifest.rows.finished = FinishedRecords(first: parts.reduce(0) { $0 + $1.manifest.rows.finished.count })
        manifest.rows.succeeded = parts.reduce(0) { $0 + $1.manifest.rows.succeeded }
        manifest.rows.failed = parts.reduce(0) { $0 + $1.manifest.rows.failed }
        // The sum of ids depends on positions, which the merge changes.
        manifest.rows.ids = nil
        manifest.total = manifest.rows.finished.count
        manifest.checkpoint = SinkCheckpoint()
        try withExtendedLifetime(reservation) {
            let isNew = access(RunManifest.path(of: reservation.path), F_OK) != 0
            // An output whose merge is killed before its last step is known as that of a merge.
            if isNew { try manifest.begun.write(besideOutput: reservation.path, calls: SystemCalls()) }
            do {
                manifest.checkpoint = try join(into: path, isOrdered: isOrdered)
            } catch {
                if isNew, try RunManifest.size(of: reservation.path) == 0 {
                    unlink(RunManifest.path(of: reservation.path))
                }
                throw error
            }
            try manifest.write(besideOutput: reservation.path, calls: SystemCalls())
        }
        return manifest
    }

    private static func areOneFile(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(path, &first) == 0, stat(other, &second) == 0 else { return path == other }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
