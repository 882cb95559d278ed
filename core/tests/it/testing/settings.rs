//! Numbers that the environment may raise: how many random programs, which seed.

/// The number in an environment variable, or the usual one.
pub(crate) fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}
