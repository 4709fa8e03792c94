import Models

/// A family whose outputs are mattes.
protocol MatteFamily: ModelFamily {
    /// What the numbers of the map are.
    var content: MapScores.Content { get }
}

extension MatteFamily {
    var task: VisionTask { .segment }
}
