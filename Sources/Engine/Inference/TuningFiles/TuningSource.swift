import Caching

/// Where measured times of lowerings are kept between processes.
///
/// Times hold for one processor, its instructions and one version of the kernels; others in the same file stay as they
/// are.
public enum TuningSource: Sendable, Hashable {
    /// `apus/tuning.json` in the user's cache folder: `$XDG_CACHE_HOME`, or `$HOME/.cache`. It is read only if no user
    /// but this one and root can have written it.
    case cached
    /// A file, which need not exist.
    case file(String)
    /// No source: expected times decide.
    case none

    /// The file's path; nil when there is none.
    public var path: String? {
        switch self {
        case .none: return nil
        case .file(let path): return path
        case .cached: return UserCache.folder + "/tuning.json"
        }
    }
}
