// Asks the kernel which user listens at the other end of a Unix socket. Node has no call for it, so an optional package makes it
// (`optional-packages.ts`).
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import type koffi from "koffi";
import { isMissingModule } from "../node-errors.js";
import { PEER_USER_PACKAGE } from "../optional-packages.js";

/** Returns the user's number; undefined where the kernel does not tell. */
type AskKernel = (descriptor: number) => number | undefined;

/** Whether the kernel is asked; otherwise why not. */
export type PeerUserSource =
  | { readonly kind: "kernel" }
  | { readonly kind: "not_installed" }
  | { readonly kind: "broken"; readonly error: unknown };

interface Kernel {
  readonly source: PeerUserSource;
  readonly ask: AskKernel;
}

const asked: { kernel?: Kernel } = {};

function kernel(): Kernel {
  asked.kernel ??= kernelOf(process.platform);
  return asked.kernel;
}

/** Returns the user whose process listens at the other end of a connected socket; undefined if that cannot be found out. */
export function peerUserOf(socket: Socket): number | undefined {
  // Node reveals the descriptor of a socket by its handle alone.
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: number } | null };
  if (handle?.fd === undefined || handle.fd < 0) return undefined;
  return kernel().ask(handle.fd);
}

/** Loads what `peerUserOf` needs, if it is not loaded. */
export function peerUserSource(): PeerUserSource {
  return kernel().source;
}

function kernelOf(platform: NodeJS.Platform): Kernel {
  try {
    // A bundle in CommonJS has `__filename` in place of `import.meta`.
    const { load } = createRequire(import.meta.url ?? __filename)(PEER_USER_PACKAGE) as typeof koffi;
    const libc = load(null);
    return { source: { kind: "kernel" }, ask: platform === "linux" ? linuxKernel(libc) : bsdKernel(libc) };
  } catch (error) {
    // Without the package, or on a platform without these calls, owner and mode decide alone.
    const source = isMissingModule(error) ? ({ kind: "not_installed" } as const) : ({ kind: "broken", error } as const);
    return { source, ask: () => undefined };
  }
}

type Library = ReturnType<typeof koffi.load>;

function linuxKernel(libc: Library): AskKernel {
  const [SOL_SOCKET, SO_PEERCRED] = [1, 17];
  const getsockopt = libc.func("int getsockopt(int, int, int, _Out_ uint32_t *, _Inout_ uint32_t *)");
  return (descriptor) => {
    // The numbers of process, user and group.
    const credentials = new Uint32Array(3);
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, [credentials.byteLength]) === 0
      ? credentials[1]
      : undefined;
  };
}

/** Also of macOS. */
function bsdKernel(libc: Library): AskKernel {
  const getpeereid = libc.func("int getpeereid(int, _Out_ uint32_t *, _Out_ uint32_t *)");
  return (descriptor) => {
    const [user, group] = [new Uint32Array(1), new Uint32Array(1)];
    return getpeereid(descriptor, user, group) === 0 ? user[0] : undefined;
  };
}
