/// The labels of an equation of Einsum, such as `...ij,...jk->...ik`.
struct EinsumEquation: Sendable {
    /// The labels of an operand or the result; nil is the ellipsis.
    private typealias Term = [Character?]

    private let operands: [Term]
    /// The labels of the result; nil when the equation does not give them.
    private let result: Term?

    init(_ text: String) throws(OperatorError) {
        let characters = text.filter { $0 != " " }
        guard characters.count <= 4096 else { throw .invalid("the equation has \(characters.count) characters") }
        var sides: [Substring] = [characters[...]]
        if let arrow = characters.firstIndex(of: "-") {
            let next = characters.index(after: arrow)
            guard next < characters.endIndex, characters[next] == ">" else {
                throw .invalid("equation \"\(text)\" is not one")
            }
            sides = [characters[..<arrow], characters[characters.index(after: next)...]]
        }
        var operands: [Term] = []
        for operand in sides[0].split(separator: ",", omittingEmptySubsequences: false) {
            operands.append(try Self.term(operand, in: text))
        }
        self.operands = operands
        result = sides.count > 1 ? try Self.term(sides[1], in: text) : nil
        let known = Set(operands.joined().compactMap { $0 })
        let named = (result ?? []).compactMap { $0 }
        guard Set(named).count == named.count, named.allSatisfy(known.contains) else {
            throw .invalid("the result of equation \"\(text)\" repeats a label or has one of its own")
        }
    }

    private static func term(_ text: Substring, in equation: String) throws(OperatorError) -> Term {
        var term: Term = []
        var rest = text
        while let character = rest.first {
            if rest.hasPrefix("...") {
                guard !term.contains(nil) else { throw .invalid("equation \"\(equation)\" has two ellipses in a term") }
                term.append(nil)
                rest = rest.dropFirst(3)
                continue
            }
            guard character.isASCII, character.isLetter else {
                throw .invalid("equation \"\(equation)\" has something that is no label")
            }
            term.append(character)
            rest = rest.dropFirst()
        }
        return term
    }

    /// Two operands whose labels make one matrix product.
    struct Product {
        /// The labels of both operands and the result, in the result's order.
        let batch: [Character]
        /// The label that is summed.
        let summed: Character
        /// The labels of the first and the second operand alone.
        let row: Character
        let column: Character
        let operands: [[Character]]
        let result: [Character]
    }

    /// The equation as a product of two stacks of matrices; nil when it is something else.
    var product: Product? {
        guard operands.count == 2, let result = result?.compactMap({ $0 }) else { return nil }
        let terms = operands.map { $0.compactMap { $0 } }
        let sets = terms.map { Set($0) }
        // Neither an ellipsis nor a diagonal.
        guard zip(operands, zip(terms, sets)).allSatisfy({ $0.count == $1.0.count && $0.count == $1.1.count }),
            result.count == self.result?.count
        else { return nil }
        let shared = sets[0].intersection(sets[1])
        let (rows, columns) = (sets[0].subtracting(shared), sets[1].subtracting(shared))
        let summed = shared.subtracting(result)
        guard rows.count == 1, columns.count == 1, summed.count == 1, let row = rows.first, let column = columns.first,
            let inner = summed.first, result.contains(row), result.contains(column)
        else { return nil }
        return Product(
            batch: result.filter { shared.contains($0) }, summed: inner, row: row, column: column, operands: terms,
            result: result)
    }

    /// The labels of every axis as numbers.
    struct Labels {
        /// The extent of each label.
        var extents: [Int] = []
        var operands: [[Int]] = []
        var result: [Int] = []
    }

    /// Numbers the labels of operands of the given shapes.
    func labels(_ shapes: [[Int]]) throws(OperatorError) -> Labels {
        guard shapes.count == operands.count else {
            throw .invalid("the equation has \(operands.count) operands, but \(shapes.count) are given")
        }
        var hidden = 0
        for (term, shape) in zip(operands, shapes) {
            let named = term.count { $0 != nil }
            guard term.contains(nil) ? shape.count >= named : shape.count == named else {
                throw .invalid("an operand \(shape) does not have the axes of its \(named) labels")
            }
            hidden = max(hidden, shape.count - named)
        }
        // The axes that the ellipsis stands for come first.
        let names = Set(operands.joined().compactMap { $0 }).sorted()
        var labels = Labels(extents: [Int](repeating: 1, count: hidden + names.count))
        func number(_ term: [Character?], hiddenCount: Int) -> [Int] {
            term.flatMap { (label: Character?) -> [Int] in
                guard let label, let position = names.firstIndex(of: label) else {
                    return Array(hidden - hiddenCount..<hidden)
                }
                return [hidden + position]
            }
        }
        for (term, shape) in zip(operands, shapes) {
            let numbers = number(term, hiddenCount: shape.count - term.count { $0 != nil })
            for (label, extent) in zip(numbers, shape) where extent != 1 {
                guard labels.extents[label] == 1 || labels.extents[label] == extent else {
                    throw .invalid("operands \(shapes.map(\.description).joined(separator: ", ")) do not fit")
                }
                labels.extents[label] = extent
            }
            labels.operands.append(numbers)
        }
        let once = names.filter { name in operands.joined().count { $0 == name } == 1 }
        let implied: Term = (operands.contains { $0.contains(nil) } ? [nil] : []) + once.map { Optional($0) }
        labels.result = number(result ?? implied, hiddenCount: hidden)
        return labels
    }
}
