import Apus
import Foundation

/// Reads the manifest of a run and, after a zero byte, its output, which may both come from an untrusted source.
enum ManifestFuzzing {
    static func run(_ bytes: [UInt8]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-fuzz-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let manifest = Data(parts[0])
        let content = Data(parts.count > 1 ? parts[1] : [])
        let outputs = ["a", "b"].map { folder.appendingPathComponent($0).path }
        for (number, output) in zip(1..., outputs) {
            let text = String(decoding: manifest, as: UTF8.self).replacing("\"1/2\"", with: "\"\(number)/2\"")
            try Data(text.utf8).write(to: URL(fileURLWithPath: RunManifest.path(of: output)))
            for suffix in ["", ".records.jsonl", ".run.rows"] {
                try content.write(to: URL(fileURLWithPath: output + suffix))
            }
        }
        guard let manifest = try RunManifest.read(besideOutput: outputs[0]) else { return }
        _ = Result { try manifest.verify(output: outputs[0]) }
        let merge = Result { try RunMerge(manifest.identity.shard == "1/1" ? [outputs[0]] : outputs) }
        for isOrdered in [false, true] {
            _ = merge.flatMap { merge in
                Result { try merge.write(to: folder.appendingPathComponent("all").path, isOrdered: isOrdered) }
            }
        }
        // Resumes the output, as a run does.
        guard let kind = Catalog.sinks.first(where: { $0.name == manifest.format }) else { return }
        var target = SinkTarget(path: outputs[1], checkpoint: manifest.checkpoint)
        target.scoreShape = [3]
        var sink = try kind.sink(target)
        _ = try sink.commit()
        try sink.finish()
    }
}
