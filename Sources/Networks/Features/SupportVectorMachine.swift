#if canImport(Glibc)
    import Glibc
#endif

/// A kernel function of two vectors, by which support vector machines compare them.
package enum VectorKernel: Sendable {
    /// x · y
    case linear
    /// exp(−gamma · |x − y|²)
    case radial(gamma: Double)
    /// (gamma · x · y + c)^degree
    case polynomial(degree: Int, c: Double, gamma: Double)
    /// tanh(gamma · x · y + c)
    case sigmoid(gamma: Double, c: Double)

    func callAsFunction(_ x: [Double], _ y: [Double]) -> Double {
        let product = zip(x, y).reduce(0) { $0 + $1.0 * $1.1 }
        return switch self {
        case .linear: product
        case .radial(let gamma): exp(-gamma * zip(x, y).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) })
        case .polynomial(let degree, let c, let gamma): pow(gamma * product + c, Double(degree))
        case .sigmoid(let gamma, let c): tanh(gamma * product + c)
        }
    }
}

/// y = Σ αᵢ · K(x, xᵢ) − rho
package struct SupportVectorRegressor: FeatureStage {
    let kernel: VectorKernel
    let vectors: [[Double]]
    let coefficients: [Double]
    let rho: Double
    let inputs: FeatureInputs
    let output: String

    package init(
        kernel: VectorKernel, vectors: [[Double]], coefficients: [Double], rho: Double, inputs: FeatureInputs,
        output: String
    ) throws(FeatureError) {
        guard vectors.count == coefficients.count else {
            throw .model("has \(vectors.count) support vectors and \(coefficients.count) coefficients")
        }
        self.kernel = kernel
        self.vectors = vectors
        self.coefficients = coefficients
        self.rho = rho
        self.inputs = inputs
        self.output = output
    }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let x = try self.inputs.vector(inputs)
        let sum = zip(vectors, coefficients).reduce(0) { $0 + $1.1 * kernel(x, $1.0) }
        return [output: .double(sum - rho)]
    }
}

/// Decides between each pair of classes by Σ αᵢ · K(x, xᵢ) − rho; the class with the most votes wins.
///
/// Reference: https://www.csie.ntu.edu.tw/~cjlin/papers/libsvm.pdf
package struct SupportVectorClassifier: FeatureStage {
    /// The coefficients of 1 / (1 + exp(a · decision + b)), which turns the decision of each pair into a probability.
    package struct Sigmoids: Sendable {
        let (a, b): ([Double], [Double])
        package init(a: [Double], b: [Double]) { (self.a, self.b) = (a, b) }
    }

    let kernel: VectorKernel
    /// The support vectors, ordered by class.
    let vectors: [[Double]]
    let counts: [Int]
    /// Rows of one coefficient per vector; there is one row less than classes.
    let coefficients: [[Double]]
    let rho: [Double]
    let sigmoids: Sigmoids?
    let inputs: FeatureInputs
    let outputs: ClassifierOutputs

    package init(
        kernel: VectorKernel, vectors: [[Double]], counts: [Int], coefficients: [[Double]], rho: [Double],
        sigmoids: Sigmoids?, inputs: FeatureInputs, outputs: ClassifierOutputs
    ) throws(FeatureError) {
        let classes = outputs.labels.count
        guard classes >= 2, classes <= 4096, counts.count == classes, counts.allSatisfy({ $0 >= 0 }) else {
            throw .model("has \(classes) classes and numbers of vectors for \(counts.count)")
        }
        let pairs = classes * (classes - 1) / 2
        var total = 0
        for count in counts {
            let (sum, overflow) = total.addingReportingOverflow(count)
            guard !overflow else { throw .model("has too many support vectors") }
            total = sum
        }
        guard total == vectors.count, coefficients.count == classes - 1,
            coefficients.allSatisfy({ $0.count == vectors.count }), rho.count == pairs,
            sigmoids.map({ $0.a.count == pairs && $0.b.count == pairs }) ?? true
        else {
            throw .model("its \(vectors.count) support vectors, coefficients and offsets do not fit \(classes) classes")
        }
        self.kernel = kernel
        self.vectors = vectors
        self.counts = counts
        self.coefficients = coefficients
        self.rho = rho
        self.sigmoids = sigmoids
        self.inputs = inputs
        self.outputs = outputs
    }

    package var classifier: ClassifierOutputs? { outputs }

    package func evaluate(_ inputs: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let x = try self.inputs.vector(inputs)
        let products = vectors.map { kernel(x, $0) }
        let starts = counts.indices.map { counts[..<$0].reduce(0, +) }
        let classes = counts.count
        var votes = [Int](repeating: 0, count: classes)
        var pairwise = [[Double]](repeating: [Double](repeating: 0, count: classes), count: classes)
        var pair = 0
        for first in 0..<classes {
            for second in first + 1..<classes {
                var decision = -rho[pair]
                for index in starts[first]..<starts[first] + counts[first] {
                    decision += coefficients[second - 1][index] * products[index]
                }
                for index in starts[second]..<starts[second] + counts[second] {
                    decision += coefficients[first][index] * products[index]
                }
                votes[decision > 0 ? first : second] += 1
                if let sigmoids {
                    let raw = LinearModel.Link.logit(-(sigmoids.a[pair] * decision + sigmoids.b[pair]))
                    pairwise[first][second] = min(max(raw, 1e-7), 1 - 1e-7)
                    pairwise[second][first] = 1 - pairwise[first][second]
                }
                pair += 1
            }
        }
        var winner = 0
        for (index, count) in votes.enumerated() where count > votes[winner] { winner = index }
        guard sigmoids != nil else {
            return try outputs.values(votes.map { Double($0) / Double(max(pair, 1)) }, choice: winner)
        }
        return try outputs.values(Self.probabilities(pairwise), choice: winner)
    }

    /// The probabilities of all classes that fit those of the pairs best: they minimise
    /// Σ_{i ≠ j} (r_ji · p_i − r_ij · p_j)² with Σ p = 1.
    private static func probabilities(_ r: [[Double]]) -> [Double] {
        let count = r.count
        if count == 2 { return [r[0][1], r[1][0]] }
        var q = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
        for t in 0..<count {
            for j in 0..<count where j != t {
                q[t][t] += r[j][t] * r[j][t]
                q[t][j] = -r[j][t] * r[t][j]
            }
        }
        var p = [Double](repeating: 1 / Double(count), count: count)
        for _ in 0..<max(100, count) {
            var qp = (0..<count).map { t in (0..<count).reduce(0) { $0 + q[t][$1] * p[$1] } }
            var pqp = zip(p, qp).reduce(0) { $0 + $1.0 * $1.1 }
            guard qp.map({ abs($0 - pqp) }).max() ?? 0 >= 0.005 / Double(count) else { break }
            for t in 0..<count {
                let difference = (-qp[t] + pqp) / q[t][t]
                p[t] += difference
                pqp = (pqp + difference * (difference * q[t][t] + 2 * qp[t])) / (1 + difference) / (1 + difference)
                for j in 0..<count {
                    qp[j] = (qp[j] + difference * q[t][j]) / (1 + difference)
                    p[j] /= 1 + difference
                }
            }
        }
        return p
    }
}
