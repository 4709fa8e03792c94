import Foundation
import FuzzTargets

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["APUS_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        FileHandle.standardError.write(Data("APUS_FUZZ_TARGET has to be one of \(names)\n".utf8))
        exit(2)
    }
    return target
}()

/// What libFuzzer calls, whose `main` is the program's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        abort()
    }
    return 0
}
