/** The error of a folder that the embedded IPFS node cannot use. */
import * as Schema from "effect/Schema"

/**
 * The node cannot use this folder.
 *
 * - `InUse`: another node has opened the folder, in this process or another one.
 * - `Damaged`: the list of pins cannot be read. Without it, the node does not know which blocks to keep.
 * - `Unusable`: the folder cannot be made, read or written; `detail` is the system's code.
 */
export class IpfsFolderError extends Schema.TaggedError<IpfsFolderError>()("IpfsFolderError", {
  problem: Schema.Literals(["InUse", "Damaged", "Unusable"]),
  detail: Schema.String
}) {
  override get message(): string {
    switch (this.problem) {
      case "InUse":
        return "another IPFS node has this folder open"
      case "Damaged":
        return `the list of pins is damaged: ${this.detail}`
      case "Unusable":
        return `the folder cannot be used: ${this.detail}`
    }
  }
}
