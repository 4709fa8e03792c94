import Apus
import CApus
import Measuring
import SharedOptions

/// The most configurations that are compared at once; each needs sessions of its own.
private let maximumConfigurationCount = 64

@c @implementation
public func apus_model_compare(
    _ model: OpaquePointer?, _ configurations: UnsafePointer<UnsafePointer<CChar>?>?, _ configurationCount: Int,
    _ inputs: UnsafePointer<UnsafePointer<CChar>?>?, _ inputCount: Int, _ settings: OpaquePointer?,
    _ json: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let json = try required(json, "json")
        let options = try parsedOptions(settings)
        let model = try options.further.applied(
            to: object(model, ModelObject.self).model, decoding: options.preprocessing.decoding)
        let session = try options.sessionOptions(profiling: model.name)
        let named = try texts(
            configurations, configurationCount, atMost: maximumConfigurationCount, "configurations")
        let compared = try (named.isEmpty ? ConfigurationArgument.standard : named.map(configuration)).map {
            Comparison.Configuration($0.name, try $0.sessionOptions(session))
        }
        let paths = try texts(inputs, inputCount, "inputs")
        let dataset =
            try paths.isEmpty
            ? nil
            : options.dataset.dataset(
                paths, decoding: options.preprocessing.decoding, columns: options.further.columns)
        // Every configuration has two sessions, the planner's choice may be one more, and the reference is in float64.
        MemoryRestriction.raise(forSessions: 4 * (compared.count + 1), options.loading)
        let comparison = try SignalHandlers.preserving {
            try waiting {
                let given = try await options.comparisonInputs(dataset, model)
                return try await model.compare(compared, on: given, options: options.comparisonOptions)
            }
        }
        try give(TextObject(JSONDocument.text(of: comparison, isPretty: true)), to: json)
    }
}

/// The configuration that a text names.
private func configuration(_ text: String) throws(InterfaceError) -> ConfigurationArgument {
    guard text.contains("=") else { return ConfigurationArgument(backends: text) }
    do {
        return try ConfigurationArgument(text)
    } catch {
        throw .argument("configuration \"\(text.printable)\": \(error.message)", code: "configuration")
    }
}

extension InterfaceOptions {
    fileprivate var comparisonOptions: Comparison.Options {
        var options = Comparison.Options()
        (options.batch, options.rounds, options.seconds) = (running.batch ?? 1, comparing.rounds, comparing.seconds)
        (options.tolerance, options.comparesOutputs) = (comparing.tolerance, !comparing.noAgreement)
        options.seed = loading.seed
        return options
    }

    /// The inputs on which outputs are compared; none without a dataset.
    fileprivate func comparisonInputs(_ dataset: (any Dataset)?, _ model: Model) async throws -> [Comparison.Input] {
        guard let dataset else { return [] }
        return try await model.comparisonInputs(
            from: dataset, limit: comparing.limit, preprocessing: preprocessing.preprocessing(for: model).steps,
            decoding: preprocessing.decoding
        ).inputs
    }
}
