import Apus

/// What `apus inspect` says about a recipe.
struct RecipeReport: Encodable {
    /// A stage.
    struct Stage: Encodable {
        let name: String
        let model: String
        let task: String
        /// The part of the picture that the stage looks at; nil for whole pictures.
        let region: String?
        let turns: [String: Int]?
        let minimumConfidence: Float?
        let preprocessing: String?
    }

    let stages: [Stage]

    init(_ recipe: Recipe) {
        stages = recipe.stages.enumerated().map { position, stage in
            Stage(
                name: stage.name, model: stage.model.name, task: stage.task.rawValue,
                region: position == 0 ? nil : recipe.region(of: stage).description,
                turns: stage.turns.isEmpty ? nil : stage.turns, minimumConfidence: stage.minimumConfidence,
                preprocessing: stage.steps?.description)
        }
    }

    /// The report for people.
    var lines: [String] {
        var table = TextTable([("", .left), ("", .left)])
        for (position, stage) in stages.enumerated() {
            if position > 0 { table.append([""]) }
            table.append(["stage \(position + 1)", stage.name.printable])
            table.append(["model", stage.model.printable])
            table.append(["task", stage.task])
            table.append(["looks at", stage.region.map { "\($0) of what stage 1 finds" } ?? "whole pictures"])
            if let turns = stage.turns {
                let list = turns.sorted { $0.key < $1.key }.map { "\($0.key.printable) by \($0.value)°" }
                table.append(["turns", list.joined(separator: ", ")])
            }
            if let least = stage.minimumConfidence { table.append(["confidence", "at least \(least)"]) }
            table.append(["preprocessing", stage.preprocessing ?? "none: the network does not take one picture"])
        }
        return table.lines()
    }
}
