import COpenCL
import Foundation
import OpenCLBackend
import OpenCLFaults
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Programs that are kept", .ownThreads)
struct ProgramCacheTests {
    static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-programs-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("What was kept is found, under its own key alone")
    func finds() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cache = ProgramCache(folder: folder + "/new")
        let binary: [UInt8] = [0, 1, 2, 255, 10, 0]
        #expect(cache.binary(for: "a") == nil)
        cache.store(binary, for: "a")
        #expect(cache.binary(for: "a") == binary)
        #expect(cache.binary(for: "b") == nil)
        // A file with another key's name is not accepted for that key.
        try FileManager.default.copyItem(atPath: cache.path("a"), toPath: cache.path("b"))
        #expect(cache.binary(for: "b") == nil)
        cache.store([7], for: "a")
        #expect(cache.binary(for: "a") == [7])
    }

    @Test("Damaged and shortened files count as none")
    func refusesDamage() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cache = ProgramCache(folder: folder)
        cache.store(Array(0..<100), for: "key")
        let whole = try #require(FileManager.default.contents(atPath: cache.path("key")))
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: URL(fileURLWithPath: cache.path("key")))
            #expect(cache.binary(for: "key") == nil, "\(length) bytes")
        }
        for position in 0..<whole.count {
            var damaged = whole
            damaged[position] ^= 1
            try damaged.write(to: URL(fileURLWithPath: cache.path("key")))
            #expect(cache.binary(for: "key") == nil, "byte \(position)")
        }
    }

    @Test("What another user could have written counts as none, and is said", arguments: ["file", "folder"])
    func refusesStrangers(place: String) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cache = ProgramCache(folder: folder)
        cache.store([1, 2, 3], for: "key")
        let file = cache.path("key")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(cache.problem == nil)
        let path = place == "file" ? file : folder
        for mode: mode_t in [0o720, 0o702] {
            #expect(chmod(path, mode) == 0)
            #expect(cache.binary(for: "key") == nil)
            #expect(cache.problem?.hasPrefix("\(path) can be written by other users") == true)
        }
        #expect(chmod(path, 0o700) == 0)
        #expect(cache.binary(for: "key") == [1, 2, 3])
        // Only root can change a file's owner.
        guard geteuid() == 0 else { return }
        #expect(chown(path, 65_534, 65_534) == 0)
        #expect(cache.binary(for: "key") == nil)
        #expect(cache.problem == "\(path) belongs to another user")
    }

    @Test("A folder that cannot be written keeps nothing and does no harm")
    func toleratesAbsence() {
        let cache = ProgramCache(folder: "/proc/none")
        cache.store([1], for: "key")
        #expect(cache.binary(for: "key") == nil)
    }
}

extension OnFaultyDevices {
    @Suite("Programs that are kept, on a device", .ownThreads)
    struct ProgramCacheUseTests {
        @Test("A kept program runs as a built one does; what a driver refuses is built again and replaced")
        func isUsed() throws {
            let folder = try ProgramCacheTests.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let graph = try DeviceExecutionTests.network()
            let image = try DeviceExecutionTests.input([1, 3, 12, 10])
            func run(refusingBinaries: Bool = false) throws -> [[Float]] {
                let device = try FaultyDevice(programCache: ProgramCache(folder: folder)).device
                if refusingBinaries { apus_faults_fail(APUS_FAULT_BINARY, 0, .max, CL_INVALID_BINARY) }
                let plan = try TestDevice.planner(device).plan(
                    graph, inputShapes: [image.shape], packedWeights: PackedWeights())
                return try Execution(workers: SerialWorkers()).run(plan, inputs: [image])
                    .map { $0.elements(as: Float.self) }
            }
            let built = try run()
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!files.isEmpty && apus_faults_calls(APUS_FAULT_BINARY) == 0)
            #expect(try run() == built)
            #expect(apus_faults_calls(APUS_FAULT_BINARY) == files.count)
            #expect(try run(refusingBinaries: true) == built)
            #expect(apus_faults_calls(APUS_FAULT_BINARY) == files.count)
            let paths = files.map { folder + "/" + $0 }
            let before = try paths.map { try #require(FileManager.default.contents(atPath: $0)) }
            for (path, content) in zip(paths, before) {
                try content.prefix(content.count / 2).write(to: URL(fileURLWithPath: path))
            }
            #expect(try run() == built)
            for path in paths {
                let size = FileManager.default.contents(atPath: path)?.count ?? 0
                #expect(size > (before.map(\.count).min() ?? 0) / 2)
            }
        }
    }
}
