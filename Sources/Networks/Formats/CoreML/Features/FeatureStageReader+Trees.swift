import Features

extension FeatureStageReader {
    private enum TreeField: Int, MessageField {
        case ensemble = 1, transform
    }

    private enum EnsembleField: Int, MessageField {
        case nodes = 1
    }

    private static let maximumNodes = 2_000_000
    private static let maximumResults: UInt64 = 1 << 20

    func treeRegressor() throws -> any FeatureStage {
        TreeRegressor(try trees(), output: try model.outputName)
    }

    func treeClassifier() throws -> any FeatureStage {
        TreeClassifier(try trees(), outputs: try model.classifierOutputs(try ClassLabels(content)))
    }

    private func trees() throws -> TreeEnsemble {
        guard let range = content.ranges(TreeField.ensemble).last else { throw FormatError.invalid("has no trees") }
        let ensemble = try CoreMLMessage(content.content, range, maximumFields: Self.maximumNodes)
        let parameters: CoreMLTreeEnsembleParameters = try ensemble.decode(omitting: EnsembleField.numbers)
        guard parameters.dimensionCount <= Self.maximumResults else {
            throw FormatError.invalid("gives \(parameters.dimensionCount) numbers")
        }
        var base = parameters.base
        let missing = Int(parameters.dimensionCount) - base.count
        if missing > 0 { base += [Double](repeating: base.count == 1 ? base[0] : 0, count: missing) }
        let number = try content.decode(CoreMLTransformParameters.self) { $0 == TreeField.transform.rawValue }.transform
        guard let transform = TreeEnsemble.Transform(rawValue: Int(number)) else {
            throw FormatError.unsupported("transform \(number) is not known")
        }
        var nodes: [CoreMLTreeNode] = []
        for range in ensemble.ranges(EnsembleField.nodes) { nodes.append(try ensemble.decode(range)) }
        let (ordered, roots) = try TreeOrder(nodes).sorted()
        return try TreeEnsemble(nodes: ordered, roots: roots, base: base, transform: transform, inputs: inputs)
    }
}

/// Orders the nodes of trees, which refer to one another by numbers, so that each follows its parent.
private struct TreeOrder {
    private struct Key: Hashable {
        let tree: UInt64
        let node: UInt64
    }

    private let nodes: [CoreMLTreeNode]
    private var positions: [Key: Int] = [:]

    init(_ nodes: [CoreMLTreeNode]) throws(FormatError) {
        self.nodes = nodes
        for (position, node) in nodes.enumerated() {
            let key = Key(tree: node.tree, node: node.node)
            guard positions.updateValue(position, forKey: key) == nil else {
                throw .invalid("node \(node.node) of tree \(node.tree) is listed twice")
            }
        }
    }

    func sorted() throws(FormatError) -> (nodes: [TreeEnsemble.Node], roots: [Int]) {
        var isChild = [Bool](repeating: false, count: nodes.count)
        for node in nodes where node.behavior != TreeEnsemble.Node.Behavior.leaf.rawValue {
            for child in [try position(node.trueChild, of: node), try position(node.falseChild, of: node)] {
                guard !isChild[child] else { throw .invalid("a node of tree \(node.tree) has two parents") }
                isChild[child] = true
            }
        }
        var order = nodes.indices.filter { !isChild[$0] }
        let rootCount = order.count
        // Children are appended; a node that no root reaches is part of a cycle.
        var next = 0
        while next < order.count {
            let node = nodes[order[next]]
            next += 1
            guard node.behavior != TreeEnsemble.Node.Behavior.leaf.rawValue else { continue }
            order += [try position(node.trueChild, of: node), try position(node.falseChild, of: node)]
        }
        guard order.count == nodes.count else { throw .invalid("the branches of a tree do not end in leaves") }
        var places = [Int](repeating: 0, count: nodes.count)
        for (place, position) in order.enumerated() { places[position] = place }
        var result: [TreeEnsemble.Node] = []
        for position in order { result.append(try made(nodes[position], places)) }
        return (result, Array(0..<rootCount))
    }

    private func made(_ node: CoreMLTreeNode, _ places: [Int]) throws(FormatError) -> TreeEnsemble.Node {
        guard let behavior = TreeEnsemble.Node.Behavior(rawValue: Int(node.behavior)) else {
            throw .unsupported("behavior \(node.behavior) of a tree's node is not known")
        }
        var children = (0, 0)
        if behavior != .leaf {
            children = (places[try position(node.trueChild, of: node)], places[try position(node.falseChild, of: node)])
        }
        return TreeEnsemble.Node(
            behavior: behavior, feature: node.feature.count, threshold: node.threshold,
            missingIsTrue: node.missingIsTrue, trueChild: children.0, falseChild: children.1,
            values: node.evaluations.map { ($0.index.count, $0.value) })
    }

    private func position(_ number: UInt64, of node: CoreMLTreeNode) throws(FormatError) -> Int {
        guard let position = positions[Key(tree: node.tree, node: number)] else {
            throw .invalid("tree \(node.tree) has no node \(number)")
        }
        return position
    }
}
