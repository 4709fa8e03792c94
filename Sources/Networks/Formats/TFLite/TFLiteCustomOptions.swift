/// The options of a custom operator, which are a map in the FlexBuffers encoding.
struct TFLiteCustomOptions {
    private let map: FlexBufferMap
    private let node: TFLiteNode

    /// Reads the options of a node.
    ///
    /// - Throws: ``FormatError`` naming the node when they are no map.
    init(_ node: TFLiteNode, in model: TFLiteModel) throws(FormatError) {
        self.node = node
        do throws(FormatError) {
            let range = node.customOptions ?? 0..<0
            // Several operators may share one vector of options.
            try model.file.spend(range.count, "options")
            map = try FlexBufferMap(model.file.bytes[range])
        } catch {
            if case .memory = error.kind { throw error.about(node.name) }
            throw node.invalid(error.description)
        }
    }

    func number(_ name: String, default fallback: Double? = nil) throws(FormatError) -> Double {
        guard let number = map.numbers[name] ?? fallback else { throw node.invalid("option \(name) is missing") }
        return number
    }

    func integer(_ name: String, default fallback: Double? = nil) throws(FormatError) -> Int {
        try integer(name, try number(name, default: fallback))
    }

    /// A list of integers.
    func integers(_ name: String) throws(FormatError) -> [Int] {
        let list: [Double]?
        do throws(FormatError) {
            list = try map.list(name)
        } catch {
            throw node.invalid("\(name): \(error)")
        }
        guard let list else { throw node.invalid("option \(name) is missing") }
        var integers: [Int] = []
        for number in list { integers.append(try integer(name, number)) }
        return integers
    }

    private func integer(_ name: String, _ number: Double) throws(FormatError) -> Int {
        guard let integer = Int(exactly: number) else { throw node.invalid("\(name) is \(number)") }
        return integer
    }
}
