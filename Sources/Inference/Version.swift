/// This version of Apus.
public enum Version {
    /// By the rules of https://semver.org.
    public static let current = "0.1.0"
}
