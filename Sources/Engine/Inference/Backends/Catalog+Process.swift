import Models
import Tensors

extension Catalog {
    /// Says that this process is the command's own, so that libraries may be loaded with variables of the environment
    /// set. What others embed never sets one.
    package static func ownProcess() { ProcessEnvironment.own() }
}
