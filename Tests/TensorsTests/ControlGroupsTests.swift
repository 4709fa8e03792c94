import Foundation
import Tensors
import Testing

/// Makes the files of a system, by path, in a new folder, and gives this folder.
func withSystemFiles<Result>(_ files: [String: String], _ body: (_ root: String) throws -> Result) throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, content) in files {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: file)
    }
    return try body(root.path)
}

@Suite("Control groups")
struct ControlGroupsTests {
    private func processors(_ files: [String: String]) throws -> Int? {
        try withSystemFiles(files) { ControlGroups(root: $0).processorQuota }
    }

    @Test("Without a quota, processors are not limited")
    func unlimited() throws {
        #expect(try processors([:]) == nil)
        #expect(try processors(["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"]) == nil)
        #expect(try processors(["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "nonsense\n"]) == nil)
        #expect(try processors(["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "5 0\n"]) == nil)
        #expect(try processors(["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "1e300 1e-9\n"]) == nil)
    }

    @Test("The lowest quota of version 2 among the groups around the process counts, rounded up")
    func version2() throws {
        func with(_ quotas: [String: String]) throws -> Int? {
            let group = ["proc/self/cgroup": "0::/slurm/job7/step0\n"]
            return try processors(group.merging(quotas.map { ("sys/fs/cgroup/\($0.key)", $0.value) }) { $1 })
        }
        #expect(try with(["slurm/job7/step0/cpu.max": "150000 100000\n"]) == 2)
        #expect(
            try with(["slurm/job7/step0/cpu.max": "max 100000\n", "slurm/job7/cpu.max": "400000 100000\n"]) == 4)
        #expect(
            try with(["slurm/job7/step0/cpu.max": "800000 100000\n", "slurm/cpu.max": "300000 100000\n"]) == 3)
        // A container sees its own group as the outermost one.
        #expect(try with(["cpu.max": "50000 100000\n"]) == 1)
    }

    @Test("A quota of version 1 counts")
    func version1() throws {
        func with(_ folder: String, _ quota: String) throws -> Int? {
            try processors([
                "proc/self/cgroup": "9:cpu,cpuacct:/docker/abc\n4:memory:/other\n0::/\n",
                "sys/fs/cgroup/\(folder)/cpu.cfs_quota_us": quota,
                "sys/fs/cgroup/\(folder)/cpu.cfs_period_us": "100000\n",
            ])
        }
        #expect(try with("cpu/docker/abc", "250000\n") == 3)
        #expect(try with("cpu,cpuacct/docker", "100000\n") == 1)
        #expect(try with("cpu", "200000\n") == 2)
        #expect(try with("cpu/docker/abc", "-1\n") == nil)
        #expect(try with("cpu/other", "100000\n") == nil)
    }
}
