/// What a task says about one picture. Each task has a type of its own.
package protocol TaskAnswer: Sendable {
    /// The answer among those of all tasks, for those who learn the task only while they run.
    var imageAnswer: ImageAnswer { get }
}

extension ImageAnswer: TaskAnswer {
    package var imageAnswer: ImageAnswer { self }
}
