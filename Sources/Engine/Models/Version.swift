/// This version of Apus.
public enum Version {
    /// The version number, by the rules of https://semver.org.
    public static let current = "0.1.0"
}
