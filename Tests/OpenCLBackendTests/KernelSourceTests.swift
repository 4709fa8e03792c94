import Foundation
import OpenCLBackend
import Testing

@Suite("Files of OpenCL C")
struct KernelSourceTests {
    @Test("Every program has its files, and every file a program")
    func files() throws {
        for source in KernelSource.allCases {
            #expect(!source.text([:]).contains("there is no file"), "\(source)")
        }
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Kernels/OpenCL")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".cl") }
        let names = paths.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
        #expect(Set(names) == Set(KernelSource.allCases.flatMap(\.files)).union(["common"]))
        #expect(names.count == Set(names).count)
    }
}
