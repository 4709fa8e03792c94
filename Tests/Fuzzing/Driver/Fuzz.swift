import Foundation
import FuzzTargets

/// libFuzzer without a `main` of its own.
///
/// Reference: https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Passes bytes to the target that APUS_FUZZ_TARGET names. Arguments are libFuzzer's.
@main
enum Fuzz {
    static let target: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["APUS_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            say("APUS_FUZZ_TARGET has to be one of \(names)")
            exit(2)
        }
        return target
    }()

    static func main() {
        target.limitMemory()
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &arguments) { start, count in
                do {
                    try Fuzz.target.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
                } catch {
                    Fuzz.say("\(error)")
                    abort()
                }
                return 0
            })
    }

    static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
