// The environment of a daemon that a command starts for itself.

/**
 * Returns the environment without settings of the user's own daemon, and with `directory` for sockets, configuration and state: the daemon finds
 * nothing of the user's.
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
  };
}
