/** Commands about CIDs themselves. No node is asked. */
import * as Schema from "effect/Schema"

import * as Command from "./Command.ts"
import { globals } from "./commonOptions.ts"

const cids = [Command.argument("cid", "CIDs.", { variadic: true })] as const

/** A CID in another form, or the reason why it has no such form. */
export const Formatted = Schema.Struct({ cid: Schema.String, formatted: Schema.String, error: Schema.String }).pipe(
  Schema.encodeKeys({ cid: "CidStr", formatted: "Formatted", error: "ErrorMsg" })
)

const Named = Schema.Struct({ code: Schema.Number, name: Schema.String })

/** The parts of a CID, or the reason why the text is not a CID. */
export const Inspected = Schema.Struct({
  cid: Schema.String,
  version: Schema.Int,
  multibase: Schema.Struct({ prefix: Schema.String, name: Schema.String }),
  multicodec: Named,
  multihash: Schema.Struct({ ...Named.fields, length: Schema.Int, digest: Schema.String }),
  cidV0: Schema.optionalKey(Schema.String),
  cidV1: Schema.String,
  errorMsg: Schema.optionalKey(Schema.String)
})

/** Codes and their names. */
export const Codes = Schema.Array(Named.pipe(Schema.encodeKeys({ code: "Code", name: "Name" })))

const listing = {
  ...globals,
  numeric: Command.local(Command.bool("Print codes too.", { alias: "n" })),
  supported: Command.bool("List only what the node's commands support.", { alias: "s" })
}

/** The command `cid/format`: writes CIDs in another form. */
export const cidFormat = Command.make("cid/format", {
  args: cids,
  options: {
    ...globals,
    f: Command.string("The form, as of printf.", { default: "%s" }),
    v: Command.string("The version to convert to."),
    mc: Command.string("The codec to convert to."),
    b: Command.string("The base.")
  },
  answer: Command.lines(Formatted),
  doc: "CIDs in another version, codec, base or form.",
  verification: "proven"
})

/** The command `cid/base32`: writes CIDs in version 1 and base32. */
export const cidBase32 = Command.make("cid/base32", {
  args: cids,
  options: globals,
  answer: Command.lines(Formatted),
  doc: "CIDs in version 1 and base32.",
  verification: "proven"
})

/** The command `cid/inspect`: returns the parts of a CID. */
export const cidInspect = Command.make("cid/inspect", {
  args: [Command.argument("cid", "A CID.")],
  options: globals,
  answer: Command.json(Inspected),
  doc: "The version, base, codec and hash of a CID.",
  verification: "proven"
})

/** The command `cid/bases`: lists the bases of CIDs. */
export const cidBases = Command.make("cid/bases", {
  args: [],
  options: {
    ...globals,
    prefix: Command.local(Command.bool("Print letters too.")),
    numeric: Command.local(Command.bool("Print codes too."))
  },
  answer: Command.json(Codes),
  doc: "The bases of CIDs.",
  verification: "proven"
})

/** The command `cid/codecs`: lists the codecs of CIDs. */
export const cidCodecs = Command.make("cid/codecs", {
  args: [],
  options: listing,
  answer: Command.json(Codes),
  doc: "The codecs of CIDs.",
  verification: "proven"
})

/** The command `cid/hashes`: lists the hash functions of CIDs. */
export const cidHashes = Command.make("cid/hashes", {
  args: [],
  options: listing,
  answer: Command.json(Codes),
  doc: "The hash functions of CIDs.",
  verification: "proven"
})
