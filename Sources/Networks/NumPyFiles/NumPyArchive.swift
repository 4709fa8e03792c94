import FoundationEssentials
import Platform
import Tensors

/// Encodes arrays as a NumPy `.npz` file: a zip archive of `.npy` files, which are stored as they are.
///
/// Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3
package enum NumPyArchive {
    /// Encodes arrays.
    ///
    /// - Parameters:
    ///   - arrays: The arrays with their names, of which characters that are parts of paths become `_`, and which get
    ///     a number where they repeat.
    ///   - mark: Bytes, at most 100, that are kept near the beginning of the file.
    /// - Throws: ``NumPyError`` for arrays that need more than 4 GiB, `TensorError` when memory runs out.
    package static func encode(_ arrays: [(name: String, tensor: Tensor)], mark: [UInt8]) throws -> Data {
        var file = Data()
        var list = Data()
        var taken: Set<String> = []
        for (position, array) in arrays.enumerated() {
            let name = unique(array.name, &taken) + ".npy"
            let content = try encoded(array.tensor)
            guard let start = UInt32(exactly: file.count), let count = UInt32(exactly: content.count) else {
                throw NumPyError.unsupported("the arrays of a picture need more than 4 GiB")
            }
            let extra = position == 0 ? field(mark) : []
            var fixed = littleEndian(UInt16(20)) + littleEndian(UInt16(0x0800)) + littleEndian(UInt16(0))
            // The time is that of the format's beginning, so that equal arrays give equal files.
            fixed += littleEndian(UInt16(0)) + littleEndian(UInt16(0x21))
            fixed += littleEndian(Checksum(content).value) + littleEndian(count) + littleEndian(count)
            fixed += littleEndian(UInt16(clamping: name.utf8.count))
            file += littleEndian(UInt32(0x0403_4B50)) + fixed + littleEndian(UInt16(clamping: extra.count))
            file += Array(name.utf8) + extra
            file += content
            list += littleEndian(UInt32(0x0201_4B50)) + littleEndian(UInt16(20)) + fixed
            list += [UInt8](repeating: 0, count: 12) + littleEndian(start) + Array(name.utf8)
        }
        guard let start = UInt32(exactly: file.count), let count = UInt16(exactly: arrays.count) else {
            throw NumPyError.unsupported("the arrays of a picture need more than 4 GiB")
        }
        let end = littleEndian(UInt32(0x0605_4B50)) + [0, 0, 0, 0] + littleEndian(count) + littleEndian(count)
        file += list
        file += end + littleEndian(UInt32(clamping: list.count)) + littleEndian(start) + [0, 0]
        return file
    }

    /// A `.npy` file. Element types that NumPy lacks become float32.
    private static func encoded(_ tensor: Tensor) throws -> [UInt8] {
        let stored = try tensor.converted(to: tensor.elementType.inNumPy)
        var bytes = NumPyHeader(stored.elementType, shape: stored.shape).encoded
        try stored.withContiguousBytes { bytes += $0 }
        return bytes
    }

    /// A name without parts of paths that no earlier array has, of at most 60 bytes.
    private static func unique(_ name: String, _ taken: inout Set<String>) -> String {
        var safe = String(name.map { $0 == "/" || $0 == "\\" || $0 < " " ? "_" : $0 })
        while safe.utf8.count > 54 { safe.removeLast() }
        if safe.isEmpty || safe.hasPrefix(".") { safe = "_" + safe }
        var result = safe
        var number = 2
        while !taken.insert(result).inserted {
            result = "\(safe)-\(number)"
            number += 1
        }
        return result
    }

    /// An extra field of an entry, under a number that nothing else uses.
    private static func field(_ content: [UInt8]) -> [UInt8] {
        let kept = Array(content.prefix(100))
        return littleEndian(UInt16(0x5041)) + littleEndian(UInt16(clamping: kept.count)) + kept
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
