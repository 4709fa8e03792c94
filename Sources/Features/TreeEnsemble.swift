#if canImport(Glibc)
    import Glibc
#endif

/// Decision trees whose leaves' values are summed.
package struct TreeEnsemble: Sendable {
    /// A branch compares a number of the input, and goes to one of two nodes; a leaf adds to the results.
    package struct Node: Sendable {
        package enum Behavior: Int, Sendable {
            case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual, leaf
        }

        package var behavior: Behavior
        package var feature: Int
        package var threshold: Double
        /// Whether a number that is not there (NaN) counts as true.
        package var missingIsTrue: Bool
        /// Positions of nodes.
        package var (trueChild, falseChild): (Int, Int)
        /// What a leaf adds, by the position among the results.
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
    ///   - nodes: Every child stands behind its parent, so that each tree ends.
    ///   - base: What the results begin with.
    /// - Throws: ``FeatureError/model(_:)`` when a node refers to something that is not there.
    package init(
        nodes: [Node], roots: [Int], base: [Double], transform: Transform, inputs: FeatureInputs
    ) throws(FeatureError) {
        for (position, node) in nodes.enumerated() {
            if node.behavior == .leaf {
                guard node.values.allSatisfy({ base.indices.contains($0.index) }) else {
                    throw .model("a leaf adds to a result beyond the \(base.count) there are")
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

    /// The transformed sums.
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
        // Converters write the votes of a forest's trees as they are; probabilities are their shares.
        let sum = results.reduce(0, +)
        if trees.transform == .none, results.count > 1, sum > 0, results.allSatisfy({ $0 >= 0 }) {
            results = results.map { $0 / sum }
        }
        // One number for two classes is the probability of the second.
        return try outputs.values(
            results.count == 1 && outputs.labels.count == 2 ? [1 - results[0], results[0]] : results)
    }
}
