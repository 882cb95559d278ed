//! Numbers that the environment may set, such as the count of random programs and the seed.

/// The number in an environment variable, or the default.
pub(crate) fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
