import Graphs
import Tensors

/// Where a slice begins or ends along one axis.
enum SliceBound {
    case fixed(Int)
    /// An element of the vector of begins.
    case begin(Int)
    /// An element of the vector of ends.
    case end(Int)
    /// The place behind an element of the vector of begins; −1 is the last place of the axis.
    case behind(Int)
    /// The sum of an element of both vectors.
    case sum(Int)

    var number: Int? { if case .fixed(let number) = self { number } else { nil } }

    /// A limit beyond the last element of any axis.
    static let last = Int(Int32.max)
}

extension GraphWriter {
    /// The bounds as one value, with those that a run determines taken from the vectors of begins and ends.
    mutating func addBounds(
        _ bounds: [SliceBound], begins: Graph.ValueID?, ends: Graph.ValueID?, named name: String
    ) throws(GraphError) -> Graph.ValueID {
        let numbers = bounds.compactMap(\.number)
        if numbers.count == bounds.count { return try addIntegers(numbers, named: name) }
        var parts: [Graph.ValueID] = []
        for bound in bounds {
            func part(_ vector: Graph.ValueID?, _ index: Int) throws(GraphError) -> Graph.ValueID {
                let indices = try addIntegers([index], named: name)
                return try addNode(Gather(), [vector, indices], named: name)[0]
            }
            switch bound {
            case .fixed(let number): parts.append(try addIntegers([number], named: name))
            case .begin(let index): parts.append(try part(begins, index))
            case .end(let index): parts.append(try part(ends, index))
            case .behind(let index):
                let one = try addIntegers([1], named: name)
                let zero = try addIntegers([0], named: name)
                let next = try addNode(Add(), [try part(begins, index), one], named: name)[0]
                let isLast = try addNode(Equal(), [next, zero], named: name)[0]
                let last = try addIntegers([SliceBound.last], named: name)
                parts.append(try addNode(Where(), [isLast, last, next], named: name)[0])
            case .sum(let index):
                parts.append(try addNode(Add(), [try part(begins, index), try part(ends, index)], named: name)[0])
            }
        }
        return try addNode(Concat(axis: 0), parts, named: name)[0]
    }

    /// Adds a constant of one or more integers.
    mutating func addIntegers(_ values: [Int], named name: String) throws(GraphError) -> Graph.ValueID {
        do {
            return addConstant(try Tensor(values.map(Int64.init), shape: [values.count]), named: name)
        } catch {
            throw .input(name: name, message: error.description)
        }
    }
}
