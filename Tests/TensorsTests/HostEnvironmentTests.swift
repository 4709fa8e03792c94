import Foundation
import Testing

import Tensors

@Suite("The environment of a host")
struct HostEnvironmentTests {
    @Test("It is left alone; only the command sets variables, and puts them back")
    func isLeftAlone() async {
        let name = "APUS_TEST_OF_THE_ENVIRONMENT"
        #expect(!ProcessEnvironment.canBeSet)
        #expect(ProcessEnvironment.setting([name: "1"]) { getenv(name) == nil })
        // A process of its own stands for the command.
        await #expect(processExitsWith: .success) {
            let names = ["APUS_TEST_SET", "APUS_TEST_UNSET", "APUS_TEST_GIVEN"]
            setenv(names[0], "before", 1)
            setenv(names[1], "before", 1)
            ProcessEnvironment.own()
            func values() -> [String?] { names.map { name in getenv(name).map { String(cString: $0) } } }
            let within = ProcessEnvironment.setting([names[0]: "1", names[1]: nil, names[2]: "2"], values)
            guard within == ["1", nil, "2"], values() == ["before", "before", nil] else { exit(EXIT_FAILURE) }
        }
    }

    /// A call that is added elsewhere would change the host's environment.
    @Test("Nothing else sets a variable")
    func isSetInOnePlace() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        var found: Set<String> = []
        for folder in ["Sources", "Kernels"] {
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            for case let name as String in names ?? .init() where name.hasSuffix(".swift") || name.hasSuffix(".c") {
                let text = try String(contentsOf: root.appending(path: folder + "/" + name), encoding: .utf8)
                if text.contains(/\b(?:un)?setenv\(|\bputenv\(/) { found.insert(name) }
            }
        }
        #expect(found == ["Networks/Tensors/ProcessEnvironment.swift"])
    }
}
