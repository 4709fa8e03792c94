import Caching

/// Where measured times of lowerings are kept between processes.
///
/// Times hold for a processor, its instructions and a version of the kernels; those of others in the same file are left
/// alone.
public enum TuningSource: Sendable, Hashable {
    /// `apus/tuning.json` in the user's cache folder: `$XDG_CACHE_HOME`, or `$HOME/.cache`. It is read only where nobody but
    /// this user or root can have written it.
    case cached
    /// A file, which need not be there.
    case file(String)
    /// Nowhere: expected times decide.
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
