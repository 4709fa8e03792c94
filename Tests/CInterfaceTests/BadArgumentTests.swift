import Foundation
import InterfaceCalls
import Testing
import TestSupport

/// Nothing that a caller passes ends the process.
@Suite(.callerThreads) struct BadArgumentTests {
    @Test func everyFunctionRefusesWhatDoesNotFit() {
        let photo = Interface.photos + "/coffee.png"
        #expect(interface_calls_with_bad_arguments(Interface.classifier, photo) == 0)
    }

    /// A function that is added to the header is added to these calls.
    @Test func everyFunctionOfTheHeaderIsCalled() throws {
        let root = URL(filePath: Interface.fixtures + "/../..").standardizedFileURL
        let header = try String(contentsOf: root.appending(path: "Sources/Doors/CApus/include/apus.h"), encoding: .utf8)
        let calls = try String(
            contentsOf: root.appending(path: "Tests/InterfaceCalls/bad_arguments.c"), encoding: .utf8)
        let declarations = header.matches(of: /(?m)^(?:apus_status|void|const char \*) ?\*?(apus_\w+)\(/).map {
            String($0.1)
        }
        #expect(declarations.count > 40)
        // It takes nothing that could be wrong.
        for name in declarations where name != "apus_version" { #expect(calls.contains("\(name)("), "\(name)") }
    }
}
