/** Commands about the node itself. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Command from "./Command.ts"
import { globals } from "./commonOptions.ts"
import { listOf, Size } from "./ipfsWire.ts"

/** The software of a node. js-ipfs omits the last two members. `repo` is the version of the store. */
export const Version = Schema.Struct({
  version: Schema.String,
  commit: Schema.optionalKey(Schema.String),
  repo: Schema.optionalKey(Schema.String),
  system: Schema.optionalKey(Schema.String),
  golang: Schema.optionalKey(Schema.String)
}).pipe(Schema.encodeKeys({ version: "Version", commit: "Commit", repo: "Repo", system: "System", golang: "Golang" }))

/** The identity of a node, and its addresses. Only older nodes send `protocolVersion`. */
export const Identity = Schema.Struct({
  id: Schema.String,
  publicKey: Schema.String,
  addresses: listOf(Schema.String),
  agentVersion: Schema.String,
  protocolVersion: Schema.optionalKey(Schema.String),
  protocols: listOf(Schema.String)
}).pipe(
  Schema.encodeKeys({
    id: "ID",
    publicKey: "PublicKey",
    addresses: "Addresses",
    agentVersion: "AgentVersion",
    protocolVersion: "ProtocolVersion",
    protocols: "Protocols"
  })
)

/** The command `version`: returns the software of the node. */
export const version = Command.make("version", {
  args: [],
  options: {
    ...globals,
    number: Command.local(Command.bool("Print the number only.", { alias: "n" })),
    commit: Command.local(Command.bool("Print the commit.")),
    repo: Command.local(Command.bool("Print the version of the store.")),
    all: Command.local(Command.bool("Print everything."))
  },
  answer: Command.json(Version),
  doc: "The software of the node."
})

/** The command `id`: returns the identity of a node. */
export const id = Command.make("id", {
  args: [Command.argument("peerid", "The node to look up. Default: the called node.", { optional: true })],
  options: {
    ...globals,
    format: Command.local(Command.string("Form of the output.", { alias: "f" })),
    "peerid-base": Command.string("The base of node ids.", { default: "b58mh" })
  },
  answer: Command.json(Identity),
  doc: "Identity and addresses of a node."
})

/** The largest size that is exact in JSON. A larger limit means that there is none. */
const StorageMax = Schema.Finite.pipe(
  Schema.decodeTo(
    Schema.UndefinedOr(Schema.Int),
    SchemaTransformation.transform<number | undefined, number>({
      decode: (limit) => (Number.isSafeInteger(limit) ? limit : undefined),
      encode: (limit) => limit ?? Number.MAX_SAFE_INTEGER
    })
  )
)

/** The size of the store in bytes, its limit, and the number of its blocks. */
export const RepoStat = Schema.Struct({
  bytes: Size,
  limit: StorageMax,
  blocks: Size,
  path: Schema.String,
  version: Schema.String
}).pipe(
  Schema.encodeKeys({
    bytes: "RepoSize",
    limit: "StorageMax",
    blocks: "NumObjects",
    path: "RepoPath",
    version: "Version"
  })
)

/** The command `repo/stat`: returns the size of the store. */
export const repoStat = Command.make("repo/stat", {
  args: [],
  options: {
    ...globals,
    "size-only": Command.bool("Answer sizes only.", { alias: "s", default: false }),
    human: Command.local(Command.bool("Print sizes with units.", { alias: "H" }))
  },
  answer: Command.json(RepoStat),
  doc: "Size of the node's store; at this service, of your pins: NumObjects is their number."
})
