import FoundationEssentials

/// Goes through the members of a tar archive: ustar, with the longer names and sizes of pax and GNU.
///
/// Source: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
package struct TarReader {
    /// A member.
    package struct Member {
        /// What a member is.
        package enum Kind { case file, folder, hardLink, symbolicLink, other }

        package let name: String
        package let kind: Kind
        /// Where a link leads; empty for others.
        package let linkName: String
        /// Where its content begins in the archive.
        package let offset: Int
        package let byteCount: Int
    }

    /// Why an archive cannot be read to its end mark.
    package enum Damage: Error {
        case stream(ByteStream.Damage)
        /// The archive ends without an end mark, or in the middle of something; the text says where.
        case cutOff(String)
        /// A header is damaged; the text says how.
        case corrupt(String)
    }

    private static let blockByteCount = 512
    /// The maximum size of a name or pax header in bytes.
    private static let maximumHeaderByteCount = 1 << 20

    /// The maximum number of padding bytes that are read after an end mark.
    private static let maximumPaddingByteCount = 1 << 20

    package let stream: ByteStream
    /// The number of bytes left of the last member's content and its padding.
    private var left = 0
    private var lastName = ""

    package init(_ stream: ByteStream) { self.stream = stream }

    /// The next member; nil after the last. The rest of the previous member is skipped.
    package mutating func next() throws(Damage) -> Member? {
        var extended = Extension()
        while true {
            try passOver()
            guard let block = try nextHeader() else { return nil }
            let header = try Header(block)
            switch header.type {
            case "x": extended.merge(try extendedHeader(header))
            case "g": _ = try content(header)
            case "L": extended.name = Self.text(try content(header))
            case "K": extended.linkName = Self.text(try content(header))
            default:
                if header.hasMoreSparseParts { try passOverSparseParts() }
                let byteCount = header.hasContent ? extended.byteCount ?? header.byteCount : 0
                guard byteCount <= Int.max >> 1 else { throw .corrupt("a member's size is \(byteCount) bytes") }
                left = (byteCount + Self.blockByteCount - 1) / Self.blockByteCount * Self.blockByteCount
                lastName = extended.name ?? header.name
                return Member(
                    name: lastName, kind: extended.isSparse ? .other : header.kind(lastName),
                    linkName: extended.linkName ?? header.linkName,
                    offset: stream.offset, byteCount: byteCount)
            }
        }
    }

    /// The content of the member that ``next()`` gave last.
    package mutating func content(of member: Member) throws(Damage) -> Data {
        let data = try read(member.byteCount)
        left -= data.count
        guard data.count == member.byteCount else { throw .cutOff("inside \"\(member.name.printable)\"") }
        return data
    }

    /// Skips the content of the member that ``next()`` gave last, but not the padding after it.
    package mutating func passOverContent(of member: Member) throws(Damage) {
        let skipped = try skip(member.byteCount)
        left -= skipped
        guard skipped == member.byteCount else { throw .cutOff("inside \"\(member.name.printable)\"") }
    }

    /// Skips the rest of the last member.
    private mutating func passOver() throws(Damage) {
        let count = left
        left = 0
        guard count > 0 else { return }
        let skipped = try skip(count)
        // Less than a block is missing where all of the content was there.
        let place = count < Self.blockByteCount ? "after" : "inside"
        guard skipped == count else { throw .cutOff("\(place) \"\(lastName.printable)\"") }
    }

    private func skip(_ count: Int) throws(Damage) -> Int {
        do throws(ByteStream.Damage) { return try stream.skip(count) } catch { throw .stream(error) }
    }

    /// The next block that is not zero; nil at the end. The end mark of an archive may have another archive behind it.
    private func nextHeader() throws(Damage) -> Data? {
        var zeroCount = 0
        while zeroCount * Self.blockByteCount <= Self.maximumPaddingByteCount {
            let block = try read(Self.blockByteCount)
            guard block.contains(where: { $0 != 0 }) else {
                guard block.count == Self.blockByteCount || zeroCount > 0 else { throw .cutOff("it has no end mark") }
                if block.count < Self.blockByteCount { return nil }
                zeroCount += 1
                continue
            }
            guard block.count == Self.blockByteCount else {
                throw zeroCount > 0 ? .corrupt(Self.remainder) : .cutOff("it has no end mark")
            }
            guard zeroCount == 0 || Header.hasChecksum(block) else { throw .corrupt(Self.remainder) }
            return block
        }
        return nil
    }

    private static let remainder = "what follows its end mark is no archive"

    /// Skips the further header blocks of a sparse file in GNU's own format.
    private mutating func passOverSparseParts() throws(Damage) {
        var hasMore = true
        while hasMore {
            let block = try read(Self.blockByteCount)
            guard block.count == Self.blockByteCount else { throw .cutOff("inside a header") }
            hasMore = block[block.startIndex + 504] != 0
        }
    }

    private mutating func extendedHeader(_ header: Header) throws(Damage) -> Extension {
        guard let result = Extension(pax: try content(header)) else { throw .corrupt("a pax header is damaged") }
        return result
    }

    private mutating func content(_ header: Header) throws(Damage) -> Data {
        guard header.byteCount <= Self.maximumHeaderByteCount else {
            throw .corrupt("a member's name or pax header takes \(header.byteCount) bytes")
        }
        let padded = (header.byteCount + Self.blockByteCount - 1) / Self.blockByteCount * Self.blockByteCount
        let data = try read(padded)
        guard data.count == padded else { throw .cutOff("inside a header") }
        return data.prefix(header.byteCount)
    }

    private func read(_ count: Int) throws(Damage) -> Data {
        do throws(ByteStream.Damage) { return try stream.read(count) } catch { throw .stream(error) }
    }

    /// The text up to the first zero byte; bytes that are not UTF-8 are written as `\xFF`.
    private static func text(_ bytes: Data) -> String {
        let name = bytes.prefix { $0 != 0 }
        return String(validating: name, as: UTF8.self) ?? FolderWalk.escaped(name)
    }
}

extension TarReader {
    /// What pax headers and GNU's long names say about the member after them.
    private struct Extension {
        var name: String?
        var linkName: String?
        var byteCount: Int?
        var isSparse = false

        init() {}

        /// Reads records such as `30 path=photos/coffee.png\n`, whose number is the size of the whole record in bytes.
        init?(pax data: Data) {
            var rest = data
            var sparseName: String?
            while !rest.isEmpty {
                guard let space = rest.firstIndex(of: UInt8(ascii: " ")),
                    let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
                    length > space - rest.startIndex + 1, length <= rest.count
                else { return nil }
                let record = rest[(space + 1)..<(rest.startIndex + length)]
                guard record.last == UInt8(ascii: "\n"), let sign = record.firstIndex(of: UInt8(ascii: "=")) else {
                    return nil
                }
                let value = record[(sign + 1)...].dropLast()
                let key = String(decoding: record[..<sign], as: UTF8.self)
                switch key {
                case "path": name = TarReader.text(Data(value))
                case "GNU.sparse.name": sparseName = TarReader.text(Data(value))
                case "linkpath": linkName = TarReader.text(Data(value))
                case "size":
                    guard let size = Int(String(decoding: value, as: UTF8.self)), size >= 0 else { return nil }
                    byteCount = size
                default: if key.hasPrefix("GNU.sparse.") { isSparse = true }
                }
                rest = rest.dropFirst(length)
            }
            // The `path` of a sparse file is made up.
            if let sparseName { (name, isSparse) = (sparseName, true) }
        }

        mutating func merge(_ other: Extension) {
            name = other.name ?? name
            linkName = other.linkName ?? linkName
            byteCount = other.byteCount ?? byteCount
            isSparse = isSparse || other.isSparse
        }
    }

    /// A block of 512 bytes that describes what follows.
    private struct Header {
        let name: String
        let linkName: String
        let type: Character
        let byteCount: Int
        /// Whether blocks follow that say which parts of a sparse file are stored.
        let hasMoreSparseParts: Bool

        init(_ block: Data) throws(Damage) {
            let bytes = [UInt8](block)
            guard Self.hasChecksum(block) else { throw .corrupt("a header has a wrong checksum") }
            guard let size = Self.number(bytes[124..<136]) else { throw .corrupt("a member's size is not a number") }
            byteCount = size
            type = Character(Unicode.Scalar(bytes[156]))
            hasMoreSparseParts = type == "S" && bytes[482] != 0
            linkName = ["1", "2"].contains(type) ? TarReader.text(Data(bytes[157..<257])) : ""
            let last = TarReader.text(Data(bytes[0..<100]))
            // GNU's own format has other fields where ustar has the first part of long names.
            let isUstar = bytes[257..<263].elementsEqual([0x75, 0x73, 0x74, 0x61, 0x72, 0])
            let first = isUstar ? TarReader.text(Data(bytes[345..<500])) : ""
            name = first.isEmpty ? last : first + "/" + last
        }

        /// Whether a block has the checksum of a header: the sum of all bytes, with the checksum's own taken as spaces.
        static func hasChecksum(_ block: Data) -> Bool {
            let bytes = [UInt8](block)
            let sum = bytes.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(bytes[$1])) }
            return number(bytes[148..<156]) == sum
        }

        func kind(_ name: String) -> Member.Kind {
            switch type {
            case "0", "\0", "7": name.hasSuffix("/") ? .folder : .file
            case "5": .folder
            case "1": .hardLink
            case "2": .symbolicLink
            default: .other
            }
        }

        /// Whether the member has content. Links, devices and folders have none, whatever their size says.
        var hasContent: Bool { !("1"..."6").contains(type) }

        /// The number in a field: octal digits, or a big-endian number after the byte 0x80.
        private static func number(_ field: ArraySlice<UInt8>) -> Int? {
            if field.first == 0x80 {
                var value = 0
                for byte in field.dropFirst() {
                    guard value < 1 << 54 else { return nil }
                    value = value << 8 | Int(byte)
                }
                return value
            }
            let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
            guard digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
        }
    }
}
