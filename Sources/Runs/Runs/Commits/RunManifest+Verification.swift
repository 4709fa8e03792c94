import Glibc
import Platform
import Predicting

extension RunManifest {
    /// Compares an output with its manifest: lengths, checksums and the number of rows. For an unfinished run, only the
    /// committed part is compared. Without checksums, which earlier versions did not write, only the rows are counted.
    ///
    /// - Throws: ``ApusError/file(path:message:)``, naming the file and what differs.
    public func verify(output: String) throws(ApusError) {
        guard let kind else {
            throw .file(
                path: Self.path(of: output), message: "names the unknown format \(format.printable)")
        }
        guard kind.name != SinkKind.sqlite.name else { return try verifyDatabase(output) }
        for (place, suffix) in kind.fileSuffixes.enumerated() {
            try verify(output + suffix, place, of: checkpoint, counting: rowCounter(suffix: suffix))
        }
    }

    /// Compares the ``RowIndex`` beside an output with its manifest, as ``verify(output:)`` does.
    func verifyIndex(output: String) throws(ApusError) {
        guard let index else {
            throw .usage(
                "\(output): does not say where its rows belong, since an earlier version of Apus began it; merge it "
                    + "without --ordered")
        }
        try verify(RowIndex.path(of: output), 0, of: index, counting: .lines(0))
    }

    private func verify(
        _ path: String, _ place: Int, of checkpoint: SinkCheckpoint, counting counter: RowCounter?
    ) throws(ApusError) {
        let size = try Self.size(of: path)
        var expected: Int?
        if place < checkpoint.byteCounts.count {
            expected = checkpoint.byteCounts[place]
            // Earlier versions did not count the end of the list after the last object.
            if checkpoint.checksums == nil, format == SinkKind.coco.name, state == .finished {
                expected = expected.map { $0 &+ COCOSink.end(isEmpty: $0 == 0).utf8.count }
            }
        }
        let count = expected ?? size
        guard size >= count else {
            throw .file(path: path, message: "holds \(size) of the \(count) bytes that its run wrote")
        }
        guard state != .finished || size == count else {
            throw .file(path: path, message: "holds \(size) bytes, but its run wrote \(count)")
        }
        var counter = counter
        let checksum = try Checksum(of: path, in: 0..<count) { counter?.add($0) }
        if let expected = checkpoint.checksums, place < expected.count {
            guard expected[place] == checksum.text || isUnfinishedArray(place) else {
                throw .file(
                    path: path,
                    message:
                        "has changed since it was written: its checksum is \(checksum.text), not \(expected[place])")
            }
        }
        guard let found = counter?.count, found != rows.finished.count else { return }
        throw .file(path: path, message: "holds \(found) rows, but its run wrote \(rows.finished.count)")
    }

    /// Whether a file is the array of an unfinished run. Each commit overwrites its header before the manifest.
    private func isUnfinishedArray(_ place: Int) -> Bool {
        state != .finished && format == SinkKind.numPy.name && place == 0
    }

    private func verifyDatabase(_ path: String) throws(ApusError) {
        _ = try Self.size(of: path)
        let content = try SQLiteRows(path: path)
        let (found, expected) = (content.rows, rows)
        // The database's transaction is committed before the manifest.
        let isWhole =
            state == .finished ? found.finished == expected.finished : found.finished.contains(expected.finished)
        guard isWhole, state != .finished || (found.succeeded, found.failed) == (expected.succeeded, expected.failed)
        else {
            throw .file(
                path: path,
                message: "holds \(found.finished.count) records, \(found.failed) of them errors; those of its run are "
                    + "\(expected.finished.count), and \(expected.failed)")
        }
        guard state == .finished, let sum = checkpoint.checksums?.first, sum != content.sum.text else { return }
        throw .file(path: path, message: "its rows have changed since they were written")
    }

    /// The row counter for a file; nil when rows cannot be counted, or a checksum makes an expensive count unnecessary.
    private func rowCounter(suffix: String) -> RowCounter? {
        switch kind?.name {
        case SinkKind.jsonLines.name: .lines(0)
        case SinkKind.numPy.name: suffix.isEmpty ? nil : .lines(0)
        case SinkKind.csv.name: checkpoint.checksums == nil ? .cells(CSVRows()) : nil
        default: nil
        }
    }

    /// The size of a file in bytes.
    ///
    /// - Throws: ``ApusError/file(path:message:)``, also for anything but a regular file.
    package static func size(of path: String) throws(ApusError) -> Int {
        var information = stat()
        guard stat(path, &information) == 0 else {
            throw .file(path: path, message: errno == ENOENT ? "no such file" : FileContent.systemMessage(errno))
        }
        guard information.st_mode & S_IFMT == S_IFREG else { throw .file(path: path, message: "is not a file") }
        return Int(information.st_size)
    }
}

extension FinishedRecords {
    /// Whether all records of another set are in this one.
    fileprivate func contains(_ others: FinishedRecords) -> Bool {
        var rest = ranges[...]
        return others.ranges.allSatisfy { range in
            while let first = rest.first, first.upperBound < range.upperBound { rest = rest.dropFirst() }
            return rest.first.map { $0.lowerBound <= range.lowerBound } ?? false
        }
    }
}
