#if canImport(Glibc)
    import Glibc
#endif

/// Decision trees; the values of the leaves that are reached are summed.
package struct TreeEnsemble: Sendable {
    /// A node of a tree. A branch compares a number of the input and leads to one of two nodes; a leaf adds to the
    /// results.
    package struct Node: Sendable {
        package enum Behavior: Int, Sendable {
            case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual, leaf
        }

        package var behavior: Behavior
        package var feature: Int
        package var threshold: Double
        /// Whether the comparison of a missing number (NaN) counts as true.
        package var missingIsTrue: Bool
        /// The indices of the nodes to continue with.
        package var (trueChild, falseChild): (Int, Int)
        /// The values that a leaf adds, each with the index of its result.
        package var values: [(index: Int, value: Double)]

        package init(
            behavior: Behavior, feature: Int, threshold: Double, missingIsTrue: Bool, trueChild: Int, falseChild: Int,
            values: [(index: Int, value: Double)]
        ) {
            self.behavior = behavior
            self.feature = feature
            self.threshold = threshold
            self.missingIsTrue = missingIsTrue
            (self.trueChild, self.falseChild) = (trueChild, falseChild)
            self.values = values
        }

        fileprivate func isTrue(_ x: Double) -> Bool {
            if x.isNaN { return missingIsTrue }
            return switch behavior {
            case .lessOrEqual: x <= threshold
            case .less: x < threshold
            case .greaterOrEqual: x >= threshold
            case .greater: x > threshold
            case .equal: x == threshold
            case .notEqual: x != threshold
            case .leaf: true
            }
        }
    }

    package enum Transform: Int, Sendable {
        case none, softmax, logistic, softmaxWithZeroReference

        func callAsFunction(_ scores: [Double]) -> [Double] {
            switch self {
            case .none: scores
            case .softmax: Probabilities.softmax(scores)
            case .logistic: scores.map { LinearModel.Link.logit($0) }
            case .softmaxWithZeroReference: Probabilities.softmax([0] + scores)
            }
        }
    }

    let nodes: [Node]
    let roots: [Int]
    let base: [Double]
    let transform: Transform
    let inputs: FeatureInputs

    /// - Parameters:
    ///   - nodes: The nodes of all trees. Every child comes after its parent, so that each tree ends.
    ///   - base: The initial values of the results.
    /// - Throws: ``FeatureError/model(_:)`` when a node refers to a node or a result that does not exist.
    package init(
        nodes: [Node], roots: [Int], base: [Double], transform: Transform, inputs: FeatureInputs
    ) throws(FeatureError) {
        for (position, node) in nodes.enumerated() {
            if node.behavior == .leaf {
                guard node.values.allSatisfy({ base.indices.contains($0.index) }) else {
                    throw .model("a leaf adds to a result that does not exist; there are \(base.count)")
                }
            } else {
                guard node.feature >= 0, [node.trueChild, node.falseChild].allSatisfy({ nodes.indices.contains($0) }),
                    min(node.trueChild, node.falseChild) > position
                else { throw .model("the branches of a tree do not end in leaves") }
            }
        }
        guard roots.allSatisfy({ nodes.indices.contains($0) }) else { throw .model("a tree has no root") }
        self.nodes = nodes
        self.roots = roots
        self.base = base
        self.transform = transform
        self.inputs = inputs
    }

    /// The sums over the trees, after the final transform.
    func results(_ values: [String: FeatureValue]) throws(FeatureError) -> [Double] {
        let x = try inputs.vector(values)
        var sums = base
        for root in roots {
            var node = nodes[root]
            while node.behavior != .leaf {
                guard node.feature < x.count else {
                    throw .input("\(x.count) numbers are given, but a tree looks at number \(node.feature)")
                }
                node = nodes[node.isTrue(x[node.feature]) ? node.trueChild : node.falseChild]
            }
            for (index, value) in node.values { sums[index] += value }
        }
        return transform(sums)
    }
}

package struct TreeRegressor: FeatureStage {
    let trees: TreeEnsemble
    let output: String

    package init(_ trees: TreeEnsemble, output: String) {
        self.trees = trees
        self.output = output
    }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let results = try trees.results(inputs)
        return [output: results.count == 1 ? .double(results[0]) : try .array(results)]
    }
}

package struct TreeClassifier: FeatureStage {
    let trees: TreeEnsemble
    let outputs: ClassifierOutputs

    package init(_ trees: TreeEnsemble, outputs: ClassifierOutputs) {
        self.trees = trees
        self.outputs = outputs
    }

    package var classifier: ClassifierOutputs? { outputs }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        var results = try trees.results(inputs)
        // Converters write the votes of a forest's trees unchanged; probabilities are their shares.
        let sum = results.reduce(0, +)
        if trees.transform == .none, results.count > 1, sum > 0, results.allSatisfy({ $0 >= 0 }) {
            results = results.map { $0 / sum }
        }
        // With two classes, a single result is the probability of the second.
        return try outputs.values(
            results.count == 1 && outputs.labels.count == 2 ? [1 - results[0], results[0]] : results)
    }
}
