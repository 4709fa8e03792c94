import Datasets
import FoundationEssentials
import Glibc
import Models
import Platform
import Predicting

/// The files that one call of a command reads and writes, collected before it starts. It ensures that no output is an
/// input or another output, and that each one may be written (``OutputRule``).
package struct OutputClaims: Sendable {
    private struct Output: Sendable {
        let option: String
        let path: String
        /// The place of the file; nil for a pipe or device.
        let place: FilePlace?
        let kind: OutputKind
    }

    private let isForced: Bool
    private let dataset: (any Dataset)?
    private var inputs: [FilePlace] = []
    private var modelPath: String?
    private var outputs: [Output] = []
    private var folders: [RecordFolder] = []

    /// - Parameters:
    ///   - model: The model that is read, with the files beside it.
    ///   - files: Other files that are read.
    ///   - dataset: The pictures that are read.
    ///   - isForced: Whether files that no earlier run of the command made may be replaced.
    package init(
        model: String? = nil, reading files: [String] = [], dataset: (any Dataset)? = nil, isForced: Bool = false
    ) {
        self.isForced = isForced
        self.dataset = dataset
        modelPath = model
        let beside = model.map { CompanionFiles(besideModel: $0).candidates } ?? []
        for path in [model].compactMap({ $0 }) + beside + files + (dataset?.containers ?? []) {
            if let place = try? FilePlace(path) { inputs.append(place) }
        }
    }

    /// Adds an output. After all are added, ``check()`` compares them with the pictures.
    ///
    /// - Parameters:
    ///   - option: The name of the output in messages.
    ///   - isNamed: Whether the user named the file; if not, a link or device of that name is refused.
    /// - Throws: ``ApusError/usage(_:)`` when the output may not be written; ``ApusError/file(path:message:)`` when it
    ///   cannot be.
    package mutating func add(
        _ path: String, as kind: OutputKind, option: String, isNamed: Bool = true
    ) throws(ApusError) {
        if isNamed, OutputFile.isStream(path) {
            outputs.append(Output(option: option, path: path, place: nil, kind: kind))
            return
        }
        let place: FilePlace
        do {
            place = try FilePlace(path, followsLink: isNamed)
        } catch {
            throw .usage("\(option) \(error)")
        }
        let output = Output(option: option, path: path, place: place, kind: kind)
        let sides = kind.sideSuffixes.compactMap { try? FilePlace(place.path + $0, followsLink: false) }
        for file in [place] + sides {
            if inputs.contains(where: file.isSame) || isInPackage(file) {
                throw .usage("\(option) \(path) is one of the inputs")
            }
            if outputs.contains(where: { $0.place?.isSame(as: file) ?? false }) {
                throw .usage("\(option) \(path) is also another output of the command")
            }
        }
        do {
            try check(output, place)
        } catch {
            // Name an overwritten input in the error instead, since --force would not help then.
            if let written = place.identity { try check([written: output]) }
            throw error
        }
        outputs.append(output)
        for side in sides { outputs.append(Output(option: option, path: side.path, place: side, kind: kind)) }
    }

    /// Adds a folder with a file for each record, which is checked with the dataset and before each file.
    package mutating func add(_ files: any RecordFiles) { folders.append(files.folder) }

    /// Checks again that an output may be written, since files may have changed meanwhile.
    ///
    /// - Throws: As ``add(_:as:option:isNamed:)``.
    package func confirm(_ path: String) throws(ApusError) {
        for output in outputs where output.path == path {
            guard output.place != nil, !OutputFile.isStream(path) else { continue }
            try check(output, try FilePlace(path))
        }
    }

    /// Refuses outputs that are pictures of the dataset, and files of records that would replace others.
    ///
    /// - Throws: ``ApusError``, also when listing fails.
    package func check() throws(ApusError) {
        for folder in folders { if let dataset { try folder.check(isNotTakenBy: dataset) } }
        var written: [FileIdentity: Output] = [:]
        for output in outputs { if let identity = output.place?.identity { written[identity] = output } }
        if !written.isEmpty || !folders.isEmpty { try check(written) }
        // All input pictures in the folders are known at this point.
        let holding = folders.filter(\.holdsInputs)
        guard !holding.isEmpty, let dataset, dataset.canBeListedAhead else { return }
        let listing = try dataset.records()
        while let record = try listing.next() {
            for folder in holding { try folder.check(record) }
        }
    }

    private func check(_ written: [FileIdentity: Output]) throws(ApusError) {
        guard let dataset, dataset.canBeListedAhead else { return }
        let listing = try dataset.records()
        while let record = try listing.next() {
            if let path = record.source.path, !written.isEmpty, let read = FileIdentity(path),
                let output = written[read]
            {
                throw .usage("\(output.option) \(output.path) is one of the inputs")
            }
            for folder in folders {
                folder.note(record)
                try folder.check(record)
            }
        }
    }

    /// Applies the ``OutputRule`` to an output.
    private func check(_ output: Output, _ place: FilePlace) throws(ApusError) {
        let folder: OutputFolder
        do {
            folder = try OutputFolder(path: place.folder)
        } catch {
            throw .file(path: output.path, message: error.message)
        }
        do {
            try OutputRule(kind: output.kind, isForced: isForced).check(place.name, in: folder)
        } catch {
            throw .usage("\(output.option) \(output.path) \(error.message)")
        }
        if isNamedInModel(place), !OutputRule(kind: output.kind, isForced: false).allows(place.name, in: folder) {
            throw .usage(
                "\(output.option) \(output.path) is named in the model, whose weights may lie there, and is never replaced"
            )
        }
        guard access(place.folder.isEmpty ? "." : place.folder, W_OK | X_OK) == 0 || place.identity != nil else {
            throw .file(path: output.path, message: OutputFile.systemMessage(errno))
        }
    }

    /// Whether a file lies in the model's folder.
    private func isInPackage(_ place: FilePlace) -> Bool {
        guard let modelPath, let model = FileIdentity(modelPath), !model.isRegular else { return false }
        return place.isBeneath(modelPath)
    }

    /// Whether the model's file contains the name of a file in the model's folder, as it does for files of weights.
    /// Called only before an existing file is replaced by force.
    private func isNamedInModel(_ place: FilePlace) -> Bool {
        guard isForced, place.identity != nil, let modelPath, FileIdentity(modelPath)?.isRegular ?? false,
            let model = try? FilePlace(modelPath), place.isBeneath(model.folder.isEmpty ? "." : model.folder)
        else { return false }
        let name = Array(place.name.utf8)
        let pieceByteCount = 1 << 20
        var start = 0
        while let piece = try? FileContent.read(model.path, from: start, count: pieceByteCount + name.count),
            !piece.isEmpty
        {
            if Array(piece).firstRange(of: name) != nil { return true }
            start += pieceByteCount
        }
        return false
    }
}
