/** Arguments and options that several commands share. */
import * as Command from "./Command.ts"

/** One path of content. */
export const path = Command.argument("ipfs-path", "A CID, or a path that begins with one.")

/** One CID. */
export const cid = Command.argument("cid", "The CID of a block.")

/** The options of every command. The client itself sets `encoding` and `stream-channels`. */
export const globals = {
  "cid-base": Command.string("The multibase of the CIDs of version 1 in the answer."),
  "upgrade-cidv0-in-output": Command.bool("Write CIDs of version 0 as version 1."),
  offline: Command.bool("Do not fetch from the network."),
  timeout: Command.duration(
    "Maximum time for the node's work. If it is invalid, a node answers 200 with an empty body."
  )
} as const

/** Options about announcing added content to the network. */
export const provide = {
  "fast-provide-root": Command.bool("Announce the root immediately."),
  "fast-provide-dag": Command.bool("Announce the whole DAG immediately."),
  "fast-provide-wait": Command.bool("Answer after the announcement.")
} as const

/** An option that only changes the output of the command line. */
export const progressBar = Command.local(Command.bool("Show a bar.", { alias: "p" }))
