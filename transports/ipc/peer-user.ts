// Asks the kernel which user and which process is at the other end of a Unix socket. Node has no call for it, so an optional package makes it
// (`optional-packages.ts`).
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import type koffi from "koffi";
import { isMissingModule } from "../node-errors.js";
import { PEER_USER_PACKAGE } from "../optional-packages.js";

/** Returns the number of a user or a process; undefined where the kernel does not tell. */
type AskKernel = (descriptor: number) => number | undefined;

/** Whether the kernel is asked; otherwise why not. */
export type PeerUserSource =
  | { readonly kind: "kernel" }
  | { readonly kind: "not_installed" }
  | { readonly kind: "broken"; readonly error: unknown };

interface Kernel {
  readonly source: PeerUserSource;
  readonly user: AskKernel;
  readonly process: AskKernel;
}

const asked: { kernel?: Kernel } = {};

function kernel(): Kernel {
  asked.kernel ??= kernelOf(process.platform);
  return asked.kernel;
}

/** Returns the user whose process listens at the other end of a connected socket; undefined if that cannot be found out. */
export function peerUserOf(socket: Socket): number | undefined {
  return askAbout(socket, (kernel) => kernel.user);
}

/** Returns the process that connected a Unix socket, or listens at it; undefined if that cannot be found out (R5d). */
export function peerProcessOf(socket: Socket): number | undefined {
  const found = askAbout(socket, (kernel) => kernel.process);
  // A process of another namespace has the number 0 here.
  return found === 0 ? undefined : found;
}

function askAbout(socket: Socket, question: (kernel: Kernel) => AskKernel): number | undefined {
  // Node reveals the descriptor of a socket by its handle alone.
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: number } | null };
  if (handle?.fd === undefined || handle.fd < 0) return undefined;
  return question(kernel())(handle.fd);
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
    const asking = platform === "linux" ? linuxKernel(libc) : bsdKernel(libc, platform);
    return { source: { kind: "kernel" }, ...asking };
  } catch (error) {
    // Without the package, or on a platform without these calls, owner and mode decide alone.
    const source = isMissingModule(error) ? ({ kind: "not_installed" } as const) : ({ kind: "broken", error } as const);
    const nobody = (): undefined => undefined;
    return { source, user: nobody, process: nobody };
  }
}

type Library = ReturnType<typeof koffi.load>;

type Asking = Pick<Kernel, "user" | "process">;

function linuxKernel(libc: Library): Asking {
  const [SOL_SOCKET, SO_PEERCRED] = [1, 17];
  const getsockopt = libc.func("int getsockopt(int, int, int, _Out_ uint32_t *, _Inout_ uint32_t *)");
  /** The numbers of process, user and group. */
  const credential = (index: number) => (descriptor: number) => {
    const credentials = new Uint32Array(3);
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, [credentials.byteLength]) === 0
      ? credentials[index]
      : undefined;
  };
  return { process: credential(0), user: credential(1) };
}

/** Also of macOS. */
function bsdKernel(libc: Library, platform: NodeJS.Platform): Asking {
  const getpeereid = libc.func("int getpeereid(int, _Out_ uint32_t *, _Out_ uint32_t *)");
  const user = (descriptor: number): number | undefined => {
    const [own, group] = [new Uint32Array(1), new Uint32Array(1)];
    return getpeereid(descriptor, own, group) === 0 ? own[0] : undefined;
  };
  if (platform !== "darwin") return { user, process: () => undefined };
  const [SOL_LOCAL, LOCAL_PEERPID] = [0, 2];
  const getsockopt = libc.func("int getsockopt(int, int, int, _Out_ uint32_t *, _Inout_ uint32_t *)");
  return {
    user,
    process: (descriptor) => {
      const found = new Uint32Array(1);
      return getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, found, [found.byteLength]) === 0 ? found[0] : undefined;
    },
  };
}
