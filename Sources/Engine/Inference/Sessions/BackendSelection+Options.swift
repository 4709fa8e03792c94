import CPUBackend
import Models
import Planning
import Platform

extension BackendSelection {
    /// Selects the backends that a session's options name, unless a selection is given.
    ///
    /// - Throws: As ``init(named:device:precision:)``.
    package init(_ options: Session.Options, unless given: BackendSelection? = nil) throws(ApusError) {
        if let given {
            self = given
        } else {
            try self.init(named: options.backends, device: options.device, precision: options.precision)
        }
    }

    /// The selection whose processor rounds the layers that were chosen for a network.
    ///
    /// - Parameter records: What measurements found.
    /// - Throws: ``ApusError/usage(_:)`` when nothing was chosen for the network on this processor.
    package func choosingPrecisions(for model: Model, _ records: TuningCache) throws(ApusError) -> BackendSelection {
        let fingerprint = model.fingerprint
        var selection = self
        for (position, backend) in backends.enumerated() {
            guard let processor = backend as? CPUBackend else { continue }
            // A network whose weights float16 cannot hold was measured in bfloat16.
            let other = processor.precision == .bfloat16 ? nil : try? Catalog.processor(.bf16)
            let found = [processor, other].lazy.compactMap { candidate -> CPUBackend? in
                guard let candidate else { return nil }
                guard let key = candidate.measurementKey, let choice = records[key, network: fingerprint] else {
                    return nil
                }
                return candidate.rounding(choice)
            }
            guard let chosen = found.first else {
                throw .usage(
                    "\(model.name): no precisions are chosen for this network on this processor; "
                        + "apus tune --precision auto --calibrate PICTURES chooses them")
            }
            selection.backends[position] = chosen
        }
        return selection
    }

    /// Why products are computed in float32 although another precision was asked for.
    var roundingRefusal: String? { backends.lazy.compactMap { ($0 as? CPUBackend)?.roundingRefusal }.first }

    /// The layers that were chosen to be rounded.
    package var precisionChoice: PrecisionChoice? { backends.lazy.compactMap { ($0 as? CPUBackend)?.choice }.first }
}

extension CPUBackend {
    /// The same backend with other layers rounded.
    package func rounding(_ choice: PrecisionChoice) -> CPUBackend {
        CPUBackend(
            instructionSet: instructionSet, precision: precision, choice: choice,
            roundingGain: roundingGain, workerCacheByteCount: workerCacheByteCount)
    }
}
