import Images
import Models
import Platform

extension Model {
    /// The name of the family whose description the model has; nil without one.
    public var familyName: String? { family?.name }

    /// The family whose description the model has.
    package var family: (any ModelFamily)? {
        guard case .named(let name) = familyChoice else { return nil }
        return Catalog.families.first { $0.name == name }
    }

    /// The families to which the model could belong, each with what tells it. There is none where a file or metadata
    /// say that the model is for something else.
    package func fittingFamilies(
        among families: [any ModelFamily] = Catalog.families
    ) -> [(family: any ModelFamily, evidence: String)] {
        guard detection?.decoder == nil, continuation == nil else { return [] }
        let signature = TaskSignature(self)
        return families.compactMap { family in
            if detection != nil, family.task != .detect { return nil }
            if let statement = taskStatement, statement.purpose != .task(family.task) { return nil }
            return family.evidence(in: signature).map { (family, $0) }
        }
    }

    /// The model as its family's makers prepare and read it, where its files do not say otherwise. A model to which
    /// several families fit stays as it is.
    ///
    ///     let model = try Model(contentsOf: "u2netp.onnx").describedByFamily()
    public func describedByFamily() -> Model {
        guard case .open = familyChoice else { return self }
        let fitting = fittingFamilies()
        guard fitting.count == 1, let (family, evidence) = fitting.first else { return self }
        return adopting(family, "it is of family \(family.title), by \(evidence)")
    }

    /// The model as the makers of a family prepare and read it, where its files do not say otherwise.
    ///
    /// - Parameter name: A name of ``Catalog/familyNames``, or `none` for the model as its files describe it.
    /// - Throws: ``ApusError/usage(_:)`` when there is no such family.
    public func describedByFamily(_ name: String) throws(ApusError) -> Model {
        guard name != "none" else {
            var model = self
            model.familyChoice = .none
            return model
        }
        guard let family = Catalog.families.first(where: { $0.name == name }) else {
            let names = Catalog.familyNames.joined(separator: ", ")
            throw .usage("--family \(name.printable): there is no such family; the names are none, \(names)")
        }
        var model = adopting(family, "--family \(name) says so")
        if taskStatement?.purpose != .task(family.task) {
            model.taskStatement = TaskStatement(.task(family.task), "--family \(name) says so", .model)
        }
        return model
    }

    private func adopting(_ family: any ModelFamily, _ reason: String) -> Model {
        var model = self
        model.familyChoice = .named(family.name)
        let steps = family.preprocessing(for: TaskSignature(self))
        if let steps, preprocessing == nil || origins.preprocessing == .quantization {
            model.preprocessing = steps
            model.origins.preprocessing = .family(family.title)
        }
        if labels == nil, detection?.labels == nil, let names = family.labels {
            model.labels = names
            model.origins.labels = .family(family.title)
        }
        if let configuration = family.configuration {
            if family.task == .detect {
                model.detection = detection?.completed(by: configuration) ?? configuration
                // Metadata name no suppression; that of their author's other networks is not this family's.
                if case .metadata? = origins.detection { model.detection?.suppression = configuration.suppression }
                if detection == nil { model.origins.detection = .family(family.title) }
            } else if family.task != .detect, decoding == nil {
                model.decoding = configuration
            }
        }
        if taskStatement == nil { model.taskStatement = TaskStatement(.task(family.task), reason, .model) }
        return model
    }
}
