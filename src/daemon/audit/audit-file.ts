// One file of lines that is set aside by size. Each append is one write. An append that fails leaves nothing of itself in the file, so its lines can
// be appended again later.
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { isMissing } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { otherThanFile } from "../../storage/lmdb/plain-files.js";

export interface AuditLimits {
  /** Size at which a file is set aside, bytes. */
  readonly maxBytes: number;
  /** Files set aside that are kept; `….ndjson.1` is the youngest. */
  readonly keepFiles: number;
}

interface Opened {
  readonly handle: FileHandle;
  readonly inode: number;
  bytes: number;
  /** The last line has no end: the process or the system stopped in the middle of it. */
  isTorn: boolean;
}

const LINE_FEED = 0x0a;

export type AuditFile = ReturnType<typeof createAuditFile>;

/** `limits` are read at each append. The file has mode 0600. */
export function createAuditFile(path: string, limits: () => AuditLimits) {
  let file: Opened | undefined;

  async function close(): Promise<void> {
    const closing = file;
    file = undefined;
    await closing?.handle.close();
  }

  async function setAside(): Promise<void> {
    await close();
    for (let number = limits().keepFiles; number > 0; number -= 1) {
      const younger = number === 1 ? path : `${path}.${number - 1}`;
      await rename(younger, `${path}.${number}`).catch((caught: unknown) => {
        if (!isMissing(caught)) throw caught;
      });
    }
  }

  async function write(to: Opened, lines: Buffer): Promise<void> {
    try {
      // Unlike one `write`, this writes the rest where a disk that fills up takes a part.
      await to.handle.appendFile(lines);
    } catch (caught) {
      await takeBack(to).catch(() => {});
      await close().catch(() => {});
      throw caught;
    }
    to.bytes += lines.length;
    to.isTorn = false;
  }

  return {
    /**
     * Appends whole lines and opens the file if it is not open, or no longer at its path. Sets the file aside first if the lines would make it larger
     * than the limit. Rejects with the error of Node, or a Fault "address_invalid" if the path is not a file; the lines are then not in the file.
     * One call at a time.
     */
    append: async (lines: string): Promise<void> => {
      if (file !== undefined && (await inodeAt(path)) !== file.inode) await close();
      file ??= await opened(path);
      const bytes = Buffer.from(file.isTorn ? `\n${lines}` : lines);
      if (file.bytes > 0 && file.bytes + bytes.length > limits().maxBytes) {
        await setAside();
        file = await opened(path);
      }
      await write(file, bytes);
    },
    close,
  };
}

async function opened(path: string): Promise<Opened> {
  const other = otherThanFile(path);
  if (other !== undefined)
    throw new Fault("address_invalid", `${path} is ${other}, where the audit log has a file. Remove it.`, {
      origin: "local",
    });
  const handle = await open(path, "a+", 0o600);
  try {
    const { size, ino } = await handle.stat();
    const last = Buffer.alloc(1, LINE_FEED);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    return { handle, inode: ino, bytes: size, isTorn: last[0] !== LINE_FEED };
  } catch (caught) {
    await handle.close().catch(() => {});
    throw caught;
  }
}

/** Undefined if there is nothing. A file that was removed or moved takes lines that nobody finds. */
async function inodeAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}

/** Removes what a failed write left. Others may have cut the file meanwhile. */
async function takeBack({ handle, bytes }: Opened): Promise<void> {
  if ((await handle.stat()).size > bytes) await handle.truncate(bytes);
}
