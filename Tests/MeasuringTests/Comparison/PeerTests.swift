import Apus
import Foundation
import Measuring
import TestSupport
import Testing

@Suite("Other engines beside a comparison", .serialized, .ownThreads)
struct PeerTests {
    /// Compares a small network with peers whose Python is a script of the shell.
    private func peers(_ script: String, engines: [String] = ["onnxruntime"]) async throws -> Comparison {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "python")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        var options = Comparison.Options()
        (options.rounds, options.seconds, options.measuresLimits) = (2, 0.02, false)
        options.peers = try engines.map { try Peer($0, python: program.path) }
        return try await TestedNetworks.small().compare([.init("cpu", .init(backends: [.cpu]))], options: options)
    }

    /// Answers each request; `$5` is the folder, whose output has five numbers.
    private func answering(_ output: String) -> String {
        """
        while read request; do case $request in
        load) [ -s "$4" ] && [ -s "$5/input-0" ] && echo '{"version":"9.8","loadSeconds":0.25,"firstRunSeconds":0.1,"idleBytes":1000}';;
        time*) echo '{"seconds":[0.5,0.75,1.0],"peakBytes":5000}';;
        output) \(output);;
        esac; done
        """
    }

    @Test("An engine's version, times, memory and outputs are its answers")
    func answers() async throws {
        // 40 bytes are five zeros in float64.
        let comparison = try await peers(
            answering(
                #"head -c 40 /dev/zero > "$5/output-0"; "#
                    + #"echo '{"outputs":[{"name":"scores","shape":[1,5],"file":"output-0"}]}'"#),
            engines: ["onnxruntime", "openvino:f32"])
        #expect(comparison.peers.map(\.name) == ["onnxruntime", "openvino:f32"])
        for peer in comparison.peers {
            #expect(peer.failure == nil && peer.version == "9.8" && peer.loadSeconds == 0.25)
            #expect(peer.latency?.p50 == 0.75 && peer.latency?.count == 6 && peer.modelBytes == 4000)
            #expect(try #require(peer.ratio).median > 1)
            // The network's scores are not zeros.
            #expect(try #require(peer.largestRelativeError) > 0.1)
        }
        let json = String(decoding: try JSONEncoder().encode(comparison), as: UTF8.self)
        #expect(json.contains(#""peers":[{"#))
        #expect(ComparisonPage(comparison).html.contains("openvino:f32"))
    }

    @Test(
        "An engine that fails is listed with its reason, and the comparison goes on",
        arguments: [
            (#"read line; echo '{"error":"ImportError: no engine"}'"#, "ImportError: no engine"),
            ("echo 'out of luck' >&2; exit 3", "ended with status 3: out of luck"),
            ("read line; kill -9 $$", "was ended by signal 9"),
            ("read line; echo nonsense", "its answer to \"load\" cannot be read: nonsense"),
        ])
    func failures(_ script: String, _ reason: String) async throws {
        let comparison = try await peers(script)
        let peer = try #require(comparison.peers.first)
        #expect(peer.failure?.contains(reason) == true && peer.latency == nil, "\(peer.failure ?? "no failure")")
        #expect(comparison.results.first?.benchmark.latency != nil)
    }

    @Test("Other outputs than the network's are a failure")
    func otherOutputs() async throws {
        let comparison = try await peers(answering(#"echo '{"outputs":[]}'"#))
        #expect(comparison.peers.first?.failure == "it has 0 outputs, not 1")
        let missing = try await peers(answering(#"echo '{"outputs":[{"name":"a","shape":[1],"file":"none"}]}'"#))
        #expect(missing.peers.first?.failure != nil)
    }

    @Test("A Python without the package, or none at all, is said")
    func noPackage() async throws {
        var options = Comparison.Options()
        (options.rounds, options.seconds, options.measuresLimits) = (2, 0.02, false)
        options.peers = [try Peer("onnxruntime", python: "no-such-python")]
        let model = try TestedNetworks.small()
        let none = try await model.compare([.init("cpu", .init(backends: [.cpu]))], options: options)
        #expect(none.peers.first?.failure == "the program no-such-python is not installed")
        options.peers = [try Peer("litert", python: "python3"), try Peer("openvino", python: "python3")]
        let others = try await model.compare([.init("cpu", .init(backends: [.cpu]))], options: options)
        #expect(others.peers.first?.failure == "it reads .tflite files alone")
        let openvino = try #require(others.peers.last)
        if let failure = openvino.failure {
            #expect(
                failure.hasSuffix("has no package openvino; pip installs it") || failure.hasSuffix("is not installed"),
                "\(failure)")
        } else {
            #expect(openvino.version != nil && openvino.latency != nil)
        }
    }

    @Test("Names of engines and precisions are checked", arguments: ["tensorrt", "", "openvino:f8", "onnxruntime:f32"])
    func names(_ text: String) {
        #expect(throws: ApusError.self) { try Peer(text) }
    }
}
