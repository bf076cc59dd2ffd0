// The environment of a daemon that a command starts for itself.

/**
 * Returns the environment without settings of the user's own daemon, and with `directory`, which exists, for sockets, files and what is kept between
 * starts. Nothing of the user's is found, and nothing is left there.
 */
export function ownEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
): Record<string, string | undefined> {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith("AAEPD_"));
  return {
    ...Object.fromEntries(others),
    XDG_RUNTIME_DIR: directory,
    XDG_CONFIG_HOME: directory,
    XDG_STATE_HOME: directory,
    XDG_CACHE_HOME: directory,
  };
}
