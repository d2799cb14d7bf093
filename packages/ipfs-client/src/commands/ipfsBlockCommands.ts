/** Commands about single blocks. */
import * as Schema from "effect/Schema"

import { CidText } from "../cid/Cid.ts"
import * as Command from "./Command.ts"
import { cid, globals } from "./commonOptions.ts"
import { Size } from "./ipfsWire.ts"
import * as QuickDecoders from "./quickDecoders.ts"

/** A block and its size in bytes. */
export const BlockStat = Schema.Struct({ cid: CidText, size: Size }).pipe(
  Schema.encodeKeys({ cid: "Key", size: "Size" })
)

/** A block and its size in bytes. */
export type BlockStat = typeof BlockStat.Type

/** The command `block/get`: returns the bytes of a block. */
export const blockGet = Command.make("block/get", {
  args: [cid],
  options: globals,
  answer: Command.bytes("application/vnd.ipld.raw"),
  doc: "The bytes of a block.",
  verification: "proven",
  note: "Its Content-Type is text/plain before Kubo 0.40."
})

/** The command `block/put`: stores blocks. */
export const blockPut = Command.make("block/put", {
  args: [Command.file("data", "The bytes of a block.", { variadic: true })],
  options: {
    ...globals,
    "cid-codec": Command.string("The codec of the CID.", { default: "raw" }),
    mhtype: Command.string("The hash function.", { default: "sha2-256" }),
    mhlen: Command.int("The length of the digest in bytes; -1 for the whole digest.", { default: -1 }),
    pin: Command.bool("Pin the block.", { default: false }),
    "allow-big-block": Command.bool("Accept blocks of more than 2 MiB.", { default: false }),
    format: Command.string("The old form of cid-codec: v0, cbor or protobuf. Excludes cid-codec.", {
      alias: "f"
    })
  },
  answer: Command.lines(BlockStat, QuickDecoders.blockStat),
  doc: "Stores blocks, and returns their CIDs.",
  verification: "proven",
  note: "Infura's documentation has format=v0 as the default: a CID of version 0."
})

/** The command `block/stat`: returns the size of a block. */
export const blockStat = Command.make("block/stat", {
  args: [cid],
  options: globals,
  answer: Command.json(BlockStat),
  doc: "Size of a block.",
  verification: "proven"
})

/** A block that was removed, or the reason why it was not. */
export const Removed = Schema.Struct({ cid: CidText, error: Schema.optionalKey(Schema.String) }).pipe(
  Schema.encodeKeys({ cid: "Hash", error: "Error" })
)

/** A line of `block/rm`. */
export type Removed = typeof Removed.Type

/** The command `block/rm`: removes blocks. */
export const blockRm = Command.make("block/rm", {
  args: [{ ...cid, variadic: true }],
  options: {
    ...globals,
    force: Command.bool("Ignore blocks that are not there.", { alias: "f", default: false }),
    quiet: Command.bool("Answer only what was not removed.", { alias: "q", default: false })
  },
  answer: Command.lines(Removed),
  doc: "Removes blocks that no pin reaches. Each line has the reason if a block stays.",
  idempotent: false
})
