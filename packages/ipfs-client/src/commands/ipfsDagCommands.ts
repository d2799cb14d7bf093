/** Commands about IPLD data. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Command from "./Command.ts"
import { globals, progressBar, provide } from "./commonOptions.ts"
import { Absent, eitherOf, Link, Size } from "./ipfsWire.ts"
import * as QuickDecoders from "./quickDecoders.ts"

const ref = Command.argument("ref", "A CID, or a path that begins with one.")

/** The CID of the stored block. */
export const PutRoot = Schema.Struct({ cid: Link }).pipe(Schema.encodeKeys({ cid: "Cid" }))

/** The unresolved rest of a path. Kubo puts a slash before it; js-ipfs does not. */
const Remainder = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform<string, string>({
      decode: (sent) => (sent.startsWith("/") ? sent.slice(1) : sent),
      encode: (remainder) => (remainder === "" ? "" : `/${remainder}`)
    })
  )
)

/** The target of a path: a block, and the rest of the path inside it as names with slashes between them. */
export const ResolvedTarget = Schema.Struct({ cid: Link, remainder: Remainder }).pipe(
  Schema.encodeKeys({ cid: "Cid", remainder: "RemPath" })
)

/** The target of a path. */
export type ResolvedTarget = typeof ResolvedTarget.Type

/** A root of a CAR, and the reason why it is not pinned. The reason is empty if the root is pinned. */
export const ImportedRoot = Schema.Struct({
  root: Schema.Struct({
    cid: Link,
    pinError: Schema.String
  }).pipe(Schema.encodeKeys({ cid: "Cid", pinError: "PinErrorMsg" })),
  stats: Absent
}).pipe(Schema.encodeKeys({ root: "Root", stats: "Stats" }))

/** The totals of an import. */
export const ImportStats = Schema.Struct({
  stats: Schema.Struct({ blocks: Size, bytes: Size }).pipe(
    Schema.encodeKeys({ blocks: "BlockCount", bytes: "BlockBytesCount" })
  ),
  root: Absent
}).pipe(Schema.encodeKeys({ stats: "Stats", root: "Root" }))

/** A line of the answer of `dag/import`. */
export type Imported = typeof ImportedRoot.Type | typeof ImportStats.Type

/** The command `dag/get`: returns IPLD data in a codec that the caller chooses. */
export const dagGet = Command.make("dag/get", {
  args: [ref],
  options: {
    ...globals,
    "output-codec": Command.string("The codec of the answer.", { default: "dag-json" })
  },
  answer: Command.bytes("text/plain"),
  doc: "The value at a path, in the codec of your choice.",
  verification: "proven",
  note: "js-ipfs answers with dag-json only on request, otherwise with its own JSON."
})

/** The command `dag/put`: stores IPLD data. */
export const dagPut = Command.make("dag/put", {
  args: [Command.file("object data", "The data.", { variadic: true })],
  options: {
    ...globals,
    "store-codec": Command.string("The codec of the block.", { default: "dag-cbor" }),
    "input-codec": Command.string("The codec of the sent data.", { default: "dag-json" }),
    pin: Command.bool("Pin it.", { default: false }),
    hash: Command.string("The hash function.", { default: "sha2-256" }),
    "allow-big-block": Command.bool("Accept more than 2 MiB.", { default: false })
  },
  answer: Command.lines(PutRoot, QuickDecoders.put),
  doc: "Stores data as a block, and returns its CID.",
  verification: "proven"
})

/** The command `dag/resolve`: resolves a path to its block. */
export const dagResolve = Command.make("dag/resolve", {
  args: [ref],
  options: globals,
  answer: Command.json(ResolvedTarget),
  doc: "The block that a path leads to, and the rest of the path inside the block.",
  verification: "proven"
})

/** The command `dag/export`: returns a whole DAG as a CAR. */
export const dagExport = Command.make("dag/export", {
  args: [Command.argument("root", "The CID of the root.")],
  options: {
    ...globals,
    progress: progressBar,
    "local-only": Command.bool("Leave out blocks that the node lacks.", { default: false })
  },
  answer: Command.bytes("application/vnd.ipld.car"),
  doc: "A DAG as a CAR file, version 1.",
  verification: "proven"
})

/** The command `dag/import`: stores the blocks of CARs. */
export const dagImport = Command.make("dag/import", {
  args: [Command.file("path", "CAR files.", { variadic: true })],
  options: {
    ...globals,
    "pin-roots": Command.bool("Pin the roots.", { default: true }),
    "local-only": Command.bool("Accept a CAR that lacks blocks.", { default: false }),
    silent: Command.bool("Answer nothing.", { default: false }),
    stats: Command.bool("Report the totals of blocks and bytes.", { default: false }),
    "allow-big-block": Command.bool("Accept blocks of more than 2 MiB.", { default: false }),
    ...provide
  },
  answer: Command.lines(eitherOf(ImportedRoot, ImportStats, ["Root", "root"]), QuickDecoders.imported),
  doc: "Stores the blocks of CAR files, and returns their roots.",
  verification: "partial"
})
