extension HEIFContents {
    /// The file with boxes that let libheif give the samples of pictures as they are coded; nil where these boxes
    /// cannot be written.
    ///
    /// Versions before 1.17 convert what is coded as brightness and color, and repeat samples of color. With
    /// H.273's matrix 0 and full range, they give these samples themselves as blue and red, and brightness as green.
    /// Later versions leave samples as they are where the file names the colors of sRGB, matrix 6 and full range.
    /// The new boxes stand behind the others, so that nothing changes its place. They have no turns, mirrorings and
    /// cuts.
    ///
    /// - Parameters:
    ///   - items: The pictures of color.
    ///   - matrix: The matrix by which the library is to take them.
    func askingForSamples(of items: [Int], matrix: UInt8) -> [UInt8]? {
        guard let meta, let head = meta.content.slice(0, count: 4),
            let children = meta.content.slice(4, count: meta.content.count - 4),
            var parts = try? BoxWalk.boxes(in: children), let last = try? BoxWalk.boxes(in: file).last,
            let place = parts.firstIndex(where: { $0.type == "iprp" }),
            let others = try? BoxWalk.boxes(in: parts[place].content), let table = associationTable(items),
            file.count < 1 << 31
        else { return nil }
        parts.remove(at: place)
        let color = box("colr", Array("nclx".utf8) + [0, 1, 0, 13, 0, matrix, 0x80])
        let container = box("ipco", properties.flatMap(box) + color)
        let kept = others.filter { $0.type != "ipco" && $0.type != "ipma" }.flatMap(box)
        let newMeta = box("meta", head.copied + parts.flatMap(box) + box("iprp", container + kept + box("ipma", table)))
        var bytes = [UInt8]()
        bytes.reserveCapacity(file.count + newMeta.count)
        bytes += file.buffer
        bytes.replaceSubrange(meta.start + 4..<meta.start + 8, with: "free".utf8)
        // The last box may reach to the end of the file without telling its length.
        if file.integer(at: last.start, byteCount: 4) == 0 {
            bytes.replaceSubrange(last.start..<last.start + 4, with: Self.bytes(file.count - last.start))
        }
        return bytes + newMeta
    }

    /// A table of version 1, whose indices have 15 bits.
    private func associationTable(_ items: [Int]) -> [UInt8]? {
        guard properties.count < 0x7FFF else { return nil }
        let items = Set(items)
        var table = [1, 0, 0, 1] + Self.bytes(associations.count)
        for (item, known) in associations {
            var kept = known.filter { association in
                !properties.indices.contains(association.index)
                    || !HEIFChange.kinds.contains(properties[association.index].type)
            }
            if items.contains(item) { kept.append(Association(index: properties.count, isEssential: true)) }
            guard kept.count < 256 else { return nil }
            table += Self.bytes(item) + [UInt8(kept.count)]
            for association in kept {
                let value = association.index + 1 | (association.isEssential ? 0x8000 : 0)
                table += [UInt8(value >> 8), UInt8(value & 0xFF)]
            }
        }
        return table
    }

    private func box(_ box: BoxWalk.Box) -> [UInt8] {
        Self.bytes(box.content.count + 8) + Self.bytes(box.code) + box.content.buffer
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Self.bytes(content.count + 8) + type.utf8 + content
    }

    /// An integer of 32 bits.
    private static func bytes(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
