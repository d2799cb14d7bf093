/**
 * Refuses the commands of Kubo's mutable file system (`files/*`). The error names the command to use instead.
 *
 * `files/stat` is supported, because it can read content by its CID.
 */
import { IpfsNodeError, NotSupported } from "@plumbline/ipfs-client/node/IpfsNodeError"

/** Returns the error for a command of the mutable file system; undefined for other paths. */
export const refusal = (path: string): IpfsNodeError | undefined => {
  const [group, name = "", ...rest] = path.split("/")
  // The last part of a path can be an argument of the command.
  const instead = group === "files" && rest.length < 2 && Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined
  return instead === undefined
    ? undefined
    : new IpfsNodeError({
        reason: new NotSupported({ what: `files/${name}, projects have no mutable tree: ${instead}` })
      })
}

const CHANGE = "add the changed content, keep its new CID, and move the pin with pin/update"
const NOTHING = "add and pin/add are durable when they answer"

/** The alternative to each command. Source of the names: kubo 0.43, `core/commands/files.go`. */
const INSTEAD: Readonly<Record<string, string>> = {
  chcid: "add the content again with the options cid-version and hash",
  chmod: "add the content again with the option mode",
  chroot: CHANGE,
  cp: CHANGE,
  flush: NOTHING,
  ls: "list a directory by its CID with ls, and your own roots with pin/ls",
  mkdir: CHANGE,
  mv: CHANGE,
  read: "read a file by its CID with cat",
  rm: "let content go with pin/rm",
  touch: "add the content again with the option mtime",
  write: CHANGE
}
