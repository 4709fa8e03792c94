import Tensors
import Testing

@Suite("The memory that there is")
struct MachineMemoryTests {
    /// The memory of a machine with 1 GiB and these files, by path.
    private func memory(_ files: [String: String]) throws -> Int {
        try withSystemFiles(files) { MachineMemory(physical: 1 << 30, root: $0).byteCount }
    }

    @Test("Without control groups it is the machine's")
    func machine() throws {
        #expect(try memory([:]) == 1 << 30)
        #expect(try memory(["proc/self/cgroup": "0::/\n"]) == 1 << 30)
        #expect(try memory(["proc/self/cgroup": "nonsense\n:::\n0::"]) == 1 << 30)
    }

    @Test("A group of version 2 limits it, and so does each around it")
    func version2() throws {
        let group = ["proc/self/cgroup": "0::/user/apus.service\n"]
        func with(_ limits: [String: String]) throws -> Int {
            try memory(group.merging(limits.map { ("sys/fs/cgroup/\($0.key)", $0.value) }) { $1 })
        }
        #expect(try with(["user/apus.service/memory.max": "314572800\n"]) == 314_572_800)
        #expect(try with(["user/apus.service/memory.max": "max\n", "user/memory.max": "1000\n"]) == 1000)
        #expect(try with(["user/apus.service/memory.max": "9\n", "user/memory.max": "1000\n"]) == 9)
        // A container sees its own group as the outermost one.
        #expect(try with(["memory.max": "2000\n"]) == 2000)
        #expect(try with(["unified/user/apus.service/memory.max": "3000\n"]) == 3000)
        #expect(try with(["user/apus.service/memory.max": "max\n"]) == 1 << 30)
        #expect(try with(["user/apus.service/memory.max": "-5\n"]) == 1 << 30)
        #expect(try with(["user/apus.service/memory.max": "99999999999999999999999\n"]) == 1 << 30)
    }

    @Test("A group of version 1 limits it")
    func version1() throws {
        let group = ["proc/self/cgroup": "9:cpu,cpuacct:/other\n4:memory:/docker/abc\n0::/\n"]
        func with(_ limits: [String: String]) throws -> Int {
            try memory(group.merging(limits.map { ("sys/fs/cgroup/memory/\($0.key)", $0.value) }) { $1 })
        }
        #expect(try with(["docker/abc/memory.limit_in_bytes": "314572800\n"]) == 314_572_800)
        #expect(try with(["memory.limit_in_bytes": "4096\n"]) == 4096)
        #expect(try with(["docker/memory.limit_in_bytes": "9223372036854771712\n"]) == 1 << 30)
        #expect(try with(["other/memory.limit_in_bytes": "5\n"]) == 1 << 30)
    }

    @Test("Three quarters are taken at most, and less where little would be left")
    func share() {
        func limit(_ mebibytes: Int) -> Int {
            MemoryBudget.maximumLimit(of: MachineMemory(physical: mebibytes << 20, root: "/nonexistent")) >> 20
        }
        #expect(limit(8192) == 6144)
        #expect(limit(512) == 384)
        #expect(limit(300) == 172)
        #expect(limit(160) == 40)
    }
}
