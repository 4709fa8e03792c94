import Graphs
import Models

/// Assembles a comparison from its measurements.
struct ComparisonAssembly {
    let model: Model
    let network: ComparedNetwork
    let inputs: [String]
    let isSeeded: Bool
    let options: Comparison.Options
    let measured: [MeasuredConfiguration]
    let plannersChoice: Int
    /// The number of given configurations.
    let givenCount: Int
    /// The results of other engines.
    var peers: [Comparison.PeerResult] = []
    /// The agreement of outputs; nil before or without comparing them.
    var agreement: AgreementTotals?

    var comparison: Comparison {
        let benchmarks = measured.map(\.benchmark)
        let layers = Comparison.Layer.all(
            network, benchmarks.map(\.profile),
            agreements: measured.indices.map { agreement?.agreements[$0] ?? [:] })
        let sources = network.sources
        let results = measured.indices.map { index in
            Comparison.ConfigurationResult(
                name: measured[index].configuration.name, benchmark: benchmarks[index],
                ratio: Comparison.Ratio(benchmarks[index].roundMedians, to: benchmarks[0].roundMedians),
                residentBytes: measured[index].residentBytes,
                agreement: agreement.map { agreement in
                    let hasClasses = agreement.hasClasses
                    return Comparison.AgreementSummary(
                        layers.enumerated().map { ($1.name, sources[$0], $1.agreements[index]) },
                        tolerance: options.tolerance,
                        top1Changes: hasClasses ? agreement.top1Changes[index] : nil,
                        top5Changes: hasClasses ? agreement.top5Changes[index] : nil)
                })
        }
        var comparison = Comparison(
            model: model.name, version: Version.current, batch: benchmarks[0].configuration.batch, inputs: inputs,
            isSeeded: isSeeded,
            tolerance: options.tolerance, results: results, plannersChoice: plannersChoice,
            isPlannersChoiceAdded: plannersChoice >= givenCount, layers: layers,
            fusedValues: network.fusedValues,
            reference: "the network as its file has it, every operator evaluated plainly in float64")
        comparison.peers = peers
        return comparison
    }
}

extension Comparison.Layer {
    /// The layers of a network, with their runs in each configuration.
    ///
    /// - Parameter agreements: The agreements of each configuration, by the name of the value.
    package static func all(
        _ network: ComparedNetwork, _ profiles: [Profile?], agreements: [[String: Agreement]]
    ) -> [Comparison.Layer] {
        let nodes = network.nodesByValue
        let sources = network.sources
        let runs = profiles.map { Comparison.LayerRun.byLayer($0) }
        return network.graph.nodes.enumerated().map { index, node in
            let value = (node.outputs.first ?? nil).map { network.graph[$0] }
            let name = value?.name ?? ""
            return Comparison.Layer(
                name: node.name, operator: runs.compactMap { $0[node.name]?.operator }.first ?? node.operatorName,
                value: name, shape: value?.shape?.fixed ?? [],
                sources: sources[index].map { network.graph.nodes[$0].name }, nodes: nodes[name] ?? [],
                runs: runs.map { $0[node.name]?.run }, agreements: agreements.map { $0[name] })
        }
    }
}

extension Comparison.LayerRun {
    /// The limit of the peak fraction. A layer this much faster than memory moves no bytes, because its output is
    /// already in place.
    private static let maximumPeakFraction = 10.0

    /// The run of each layer in a configuration, by the name of its value.
    fileprivate static func byLayer(_ profile: Profile?) -> [String: (operator: String, run: Comparison.LayerRun)] {
        guard let profile else { return [:] }
        var result: [String: (operator: String, run: Comparison.LayerRun)] = [:]
        for layer in profile.layers where layer.work == .layer {
            let first = layer.firstOfStrips.map { profile.layers[$0].name }
            let fraction = layer.peakFraction.flatMap { $0 < maximumPeakFraction ? $0 : nil }
            result[layer.name] = (
                layer.operator,
                Comparison.LayerRun(
                    backend: layer.backend, lowering: layer.lowering, seconds: layer.seconds,
                    peakFraction: fraction, bound: fraction == nil ? nil : layer.bound,
                    multiplyAdds: layer.multiplyAdds,
                    bytes: layer.bytes, stripsWith: first)
            )
        }
        return result
    }
}
