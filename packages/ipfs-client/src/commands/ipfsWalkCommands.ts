/** Commands that walk DAGs. */
import * as Schema from "effect/Schema"

import { CidText } from "../cid/Cid.ts"
import * as Command from "./Command.ts"
import { globals, path } from "./commonOptions.ts"
import { Size } from "./ipfsWire.ts"

/** A line of `refs`: a link as the caller's format writes it, or the error that ended the list of one path. */
export const Ref = Schema.Struct({ ref: Schema.String, error: Schema.String }).pipe(
  Schema.encodeKeys({ ref: "Ref", error: "Err" })
)

/** The path that another path leads to. */
export const ResolvedPath = Schema.Struct({ path: Schema.String }).pipe(Schema.encodeKeys({ path: "Path" }))

const Counted = Schema.Struct({
  cid: CidText,
  size: Schema.optionalKey(Size),
  blocks: Schema.optionalKey(Size)
}).pipe(Schema.encodeKeys({ cid: "Cid", size: "Size", blocks: "NumBlocks" }))

/** A line of `dag/stat`. As in Go, zeros are left out; only the last line has `uniqueBlocks` and `ratio`. */
export const DagStat = Schema.Struct({
  uniqueBlocks: Schema.optionalKey(Size),
  totalSize: Schema.optionalKey(Size),
  sharedSize: Schema.optionalKey(Size),
  ratio: Schema.optionalKey(Schema.Finite),
  dags: Schema.optionalKey(Schema.Array(Counted))
}).pipe(
  Schema.encodeKeys({
    uniqueBlocks: "UniqueBlocks",
    totalSize: "TotalSize",
    sharedSize: "SharedSize",
    ratio: "Ratio",
    dags: "DagStats"
  })
)

/** A line of `dag/stat`. */
export type DagStat = typeof DagStat.Type

/** The command `refs`: lists the links of DAGs. */
export const refs = Command.make("refs", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    format: Command.string("The form of a link, of <src>, <dst> and <linkname>.", { default: "<dst>" }),
    edges: Command.bool("Write <src> -> <dst>.", { alias: "e" }),
    unique: Command.bool("Leave out repeated links.", { alias: "u" }),
    recursive: Command.bool("Also list the links of linked blocks.", { alias: "r" }),
    "max-depth": Command.int("Maximum depth of a recursive list; -1 for all.", { default: -1 })
  },
  answer: Command.lines(Ref),
  doc: "The links of blocks.",
  verification: "proven"
})

/** The command `refs/local`: lists the blocks of the node. */
export const refsLocal = Command.make("refs/local", {
  args: [],
  options: globals,
  answer: Command.lines(Ref),
  doc: "The blocks of the node, as raw CIDs of version 1; at this service, those that your pins reach."
})

/** The command `resolve`: returns the path of a block. */
export const resolve = Command.make("resolve", {
  args: [Command.argument("name", "A CID, or a path that begins with one.")],
  options: {
    ...globals,
    recursive: Command.bool("Follow names of IPNS to their end.", { alias: "r", default: true }),
    "dht-record-count": Command.int("Number of records of a name of IPNS.", { alias: "dhtrc" }),
    "dht-timeout": Command.string("Maximum time for a name of IPNS.", { alias: "dhtt" })
  },
  answer: Command.json(ResolvedPath),
  doc: "The path of the block that a path leads to.",
  verification: "proven"
})

/** The command `dag/stat`: counts the blocks of DAGs. */
export const dagStat = Command.make("dag/stat", {
  args: [Command.argument("root", "The CID of a root, or a path to it.", { variadic: true })],
  options: { ...globals, progress: Command.bool("Report after each block.", { alias: "p", default: true }) },
  answer: Command.lines(DagStat),
  doc: "Number and size of the blocks of DAGs.",
  verification: "proven"
})
