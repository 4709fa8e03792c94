import Graphs

extension Model {
    /// The sides of two pictures by which extents are told that do not follow from the size.
    private static let sides = [320, 480]

    /// The extents of every output, batch included; one is nil where it is open, or all of an output are.
    ///
    /// Where the file declares nothing behind the first axis, or leaves that one open although every image runs alone,
    /// and the network takes one picture of any size, an extent that is the same for two sizes is the network's.
    package var declaredOutputExtents: [[Int?]?] {
        let declared = graph.outputs.map { graph[$0].shape?.dimensions.map(\.value) }
        let runsSingly = hasFixedBatchOfOne
        func isOpen(_ extents: [Int?]?) -> Bool {
            guard let extents, let first = extents.first else { return true }
            return first == nil && runsSingly || extents.dropFirst().allSatisfy { $0 == nil }
        }
        guard declared.contains(where: isOpen), let first = outputExtents(side: Self.sides[0]),
            let second = outputExtents(side: Self.sides[1])
        else { return declared }
        return declared.indices.map { position in
            guard isOpen(declared[position]), let one = first[position], let other = second[position],
                one.count == other.count
            else { return declared[position] }
            return zip(one, other).enumerated().map { axis, pair in
                let isBatch = axis == 0 && !runsSingly && declared[position]?.first == .some(nil)
                return pair.0 == pair.1 && !isBatch ? pair.0 : nil
            }
        }
    }

    /// The extents of every output for one picture, of which sides that the network leaves open have this length; nil
    /// where the network does not take one picture of any size.
    private func outputExtents(side: Int) -> [[Int?]?]? {
        guard graph.inputs.count == 1, let dimensions = graph[graph.inputs[0]].shape?.dimensions.map(\.value),
            dimensions.count == 4, dimensions[1...].contains(nil), dimensions[1] != nil || dimensions[3] != nil
        else { return nil }
        let shape = [dimensions[0] ?? 1] + dimensions[1...].map { $0 ?? side }
        guard let types = try? graph.inferKnownTypes(inputShapes: [shape]) else { return nil }
        return graph.outputs.map { types[$0.index].map { $0.shape } }
    }
}
