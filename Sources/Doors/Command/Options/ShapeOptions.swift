import Apus
import ArgumentParser

/// The options for open extents of inputs.
struct ShapeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The shape of an input with open extents, such as x=1,3,640,640; once for every such input. A first extent of \
            1 stands for the batch.
            """, valueName: "name=extents"))
    var shape: [NamedExtents] = []

    func validate() throws {
        var names: Set<String> = []
        for extents in shape where !names.insert(extents.name).inserted {
            throw ValidationError("--shape \(extents.name) is given more than once")
        }
    }

    /// The extents, by input name.
    var extents: [String: [Int]] {
        Dictionary(shape.map { ($0.name, $0.extents) }, uniquingKeysWith: { _, last in last })
    }
}

/// An argument such as `x=1,3,640,640`.
struct NamedExtents: ExpressibleByArgument {
    let name: String
    let extents: [Int]

    init?(argument: String) {
        guard let separator = argument.lastIndex(of: "=") else { return nil }
        name = String(argument[..<separator])
        let words = argument[argument.index(after: separator)...].split(
            separator: ",", omittingEmptySubsequences: false)
        extents = words.compactMap { Int($0) }
        if name.isEmpty || extents.count != words.count || extents.contains(where: { $0 < 0 }) { return nil }
    }
}
