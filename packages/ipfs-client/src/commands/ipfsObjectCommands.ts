/**
 * Commands about dag-pb nodes. Kubo removed them in 0.28, and answers them with status 500 since then. Infura and
 * js-ipfs have them.
 *
 * Source: Kubo 0.27 `core/commands/object`, js-ipfs `ipfs-http-server`, pull request 10375 of Kubo.
 */
import * as Schema from "effect/Schema"

import { CidText } from "../cid/Cid.ts"
import * as Command from "./Command.ts"
import { globals } from "./commonOptions.ts"
import { listOf, Size } from "./ipfsWire.ts"

const REMOVED = "Removed in Kubo 0.28."

const key = Command.argument("key", "A CID, or a path that begins with one.")

/** A link of a node. `size` is the size of the linked DAG in bytes. */
export const ObjectLink = Schema.Struct({ name: Schema.String, cid: CidText, size: Size }).pipe(
  Schema.encodeKeys({ name: "Name", cid: "Hash", size: "Size" })
)

/** A dag-pb node: its links, and its data as text in the requested encoding. */
export const DagPbObject = Schema.Struct({ links: listOf(ObjectLink), data: Schema.String }).pipe(
  Schema.encodeKeys({ links: "Links", data: "Data" })
)

/** The sizes of a dag-pb node, in bytes. */
export const ObjectStat = Schema.Struct({
  cid: CidText,
  links: Size,
  blockSize: Size,
  linksSize: Size,
  dataSize: Size,
  cumulativeSize: Size
}).pipe(
  Schema.encodeKeys({
    cid: "Hash",
    links: "NumLinks",
    blockSize: "BlockSize",
    linksSize: "LinksSize",
    dataSize: "DataSize",
    cumulativeSize: "CumulativeSize"
  })
)

/** The answer of `object/put`. Kubo sends the CID; js-ipfs sends the node as well. */
export const ObjectPut = Schema.Struct({ cid: CidText }).pipe(Schema.encodeKeys({ cid: "Hash" }))

/** The command `object/get`: returns a dag-pb node. */
export const objectGet = Command.make("object/get", {
  args: [key],
  options: {
    ...globals,
    "data-encoding": Command.string("text or base64.", { default: "base64" })
  },
  answer: Command.json(DagPbObject),
  doc: "The links of a dag-pb node, and its data as text.",
  verification: "proven",
  note: `${REMOVED} Kubo's default was text, which loses bytes that are not UTF-8; Infura's and js-ipfs's is base64.`
})

/** The command `object/data`: returns the data of a dag-pb node. */
export const objectData = Command.make("object/data", {
  args: [key],
  options: globals,
  answer: Command.bytes("text/plain"),
  doc: "The data of a dag-pb node.",
  verification: "proven",
  note: REMOVED
})

/** The command `object/stat`: returns the sizes of a dag-pb node. */
export const objectStat = Command.make("object/stat", {
  args: [key],
  options: { ...globals, human: Command.local(Command.bool("Print sizes with units.")) },
  answer: Command.json(ObjectStat),
  doc: "The sizes of a dag-pb node, in bytes.",
  verification: "proven",
  note: REMOVED
})

/** The command `object/put`: stores a dag-pb node. */
export const objectPut = Command.make("object/put", {
  args: [Command.file("data", "The node.")],
  options: {
    ...globals,
    inputenc: Command.string("json or protobuf.", { default: "json" }),
    datafieldenc: Command.string("The encoding of Data in JSON: text or base64.", { default: "text" }),
    pin: Command.bool("Pin it.", { default: false }),
    quiet: Command.local(Command.bool("Print the CID only.", { alias: "q" }))
  },
  answer: Command.json(ObjectPut),
  doc: "Stores a dag-pb node, and returns its CID.",
  verification: "proven",
  note: REMOVED
})
