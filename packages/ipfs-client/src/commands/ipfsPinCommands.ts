/** Commands about pins. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { CidText } from "../cid/Cid.ts"
import * as Command from "./Command.ts"
import { globals, path, provide } from "./commonOptions.ts"
import { Absent, eitherOf, listOf, Size } from "./ipfsWire.ts"
import * as QuickDecoders from "./quickDecoders.ts"

/** The CIDs that a command pinned or unpinned. */
export const Pins = Schema.Struct({ pins: listOf(CidText) }).pipe(Schema.encodeKeys({ pins: "Pins" }))

/** The numbers of blocks and bytes fetched so far. Older nodes do not count the bytes. */
export const PinProgress = Schema.Struct({
  blocks: Schema.optionalKey(Size),
  bytes: Schema.optionalKey(Size),
  pins: Absent
}).pipe(Schema.encodeKeys({ blocks: "Progress", bytes: "Bytes", pins: "Pins" }))

/** `recursive`, `direct`, `indirect`, or `indirect through` and the CID of the pin that reaches it. */
export const PinType = Schema.String.check(
  Schema.isPattern(/^(?:recursive|direct|indirect(?: through [^\s]{1,1281})?)$/u, {
    expected: "recursive, direct, indirect, or indirect through a CID"
  })
)

/** A pin in a stream. */
export const Pin = Schema.Struct({
  cid: CidText,
  type: PinType,
  name: Schema.optionalKey(Schema.String)
}).pipe(Schema.encodeKeys({ cid: "Cid", type: "Type", name: "Name" }))

/** A pin. Its name is present only if the caller asked for names. */
export type Pin = typeof Pin.Type

const Keys = Schema.Record(
  Schema.String,
  Schema.Struct({ type: PinType, name: Schema.optionalKey(Schema.String) }).pipe(
    Schema.encodeKeys({ type: "Type", name: "Name" })
  )
).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.toType(Pin)),
    SchemaTransformation.transform<ReadonlyArray<Pin>, Readonly<Record<string, Omit<Pin, "cid">>>>({
      decode: (keys) => Object.entries(keys).map(([cid, pin]) => ({ cid: cid as CidText, ...pin })),
      encode: (pins) => Object.fromEntries(pins.map(({ cid, ...pin }) => [cid, pin]))
    })
  )
)

/** The answer of a node without `stream`: all pins by CID. Go omits an empty list. */
export const PinTable = Schema.Struct({ pins: Schema.optionalKey(Keys), cid: Absent }).pipe(
  Schema.encodeKeys({ pins: "Keys", cid: "Cid" })
)

/** The command `pin/add`: pins content. */
export const pinAdd = Command.make("pin/add", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    recursive: Command.bool("Also pin all linked content.", { alias: "r", default: true }),
    name: Command.string("The name of the pin.", { alias: "n" }),
    progress: Command.bool("Report the progress twice a second.", { default: false }),
    ...provide
  },
  answer: Command.lines(eitherOf(Pins, PinProgress, ["Pins", "pins"]), QuickDecoders.pins),
  doc: "Pins content. Content that is already pinned stays pinned."
})

/** The command `pin/rm`: removes pins. */
export const pinRm = Command.make("pin/rm", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    recursive: Command.bool("Also unpin all linked content.", { alias: "r", default: true })
  },
  answer: Command.json(Pins),
  doc: "Removes pins. Fails for content that is not pinned.",
  idempotent: false
})

/** The command `pin/ls`: lists pins. */
export const pinLs = Command.make("pin/ls", {
  args: [{ ...path, required: false, variadic: true }],
  options: {
    ...globals,
    type: Command.string("direct, indirect, recursive or all.", { alias: "t", default: "all" }),
    quiet: Command.local(Command.bool("Print CIDs only.", { alias: "q" })),
    stream: Command.bool("Stream the pins.", { alias: "s", default: false }),
    names: Command.bool("Report the names of pins.", { default: false }),
    name: Command.string("List only pins whose name contains this text.", { alias: "n" })
  },
  answer: Command.lines(eitherOf(Pin, PinTable, ["Cid", "cid"]), QuickDecoders.pin),
  doc: "The pins of the node, or of the given paths.",
  note: "A node without stream answers with one table. Infura's documentation shows another form than the wire."
})

/** The command `pin/update`: replaces a pin. */
export const pinUpdate = Command.make("pin/update", {
  args: [
    Command.argument("from-path", "The pinned content."),
    Command.argument("to-path", "The content to pin instead.")
  ],
  options: {
    ...globals,
    unpin: Command.bool("Remove the old pin.", { default: true }),
    ...provide
  },
  answer: Command.json(Pins),
  doc: "Pins new content that shares blocks with pinned content, and removes the old pin.",
  idempotent: false,
  note: "js-ipfs lacks this command."
})

/** A line of `pin/verify`. As in Go, `ok` is left out if it is false. */
export const PinVerified = Schema.Struct({
  cid: Schema.optionalKey(CidText),
  error: Schema.optionalKey(Schema.String),
  ok: Schema.optionalKey(Schema.Boolean),
  bad: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ cid: Schema.String, error: Schema.String }).pipe(Schema.encodeKeys({ cid: "Cid", error: "Err" }))
    )
  )
}).pipe(Schema.encodeKeys({ cid: "Cid", error: "Err", ok: "Ok", bad: "BadNodes" }))

/** A line of `pin/verify`. */
export type PinVerified = typeof PinVerified.Type

/** The command `pin/verify`: checks that the content of recursive pins is complete. */
export const pinVerify = Command.make("pin/verify", {
  args: [],
  options: {
    ...globals,
    verbose: Command.bool("Also answer the pins that are complete."),
    quiet: Command.bool("Leave out the broken blocks.", { alias: "q" })
  },
  answer: Command.lines(PinVerified),
  doc: "The recursive pins whose content is broken or not complete."
})
