/** Commands about the node itself. */
import * as Schema from "effect/Schema"

import * as Command from "./Command.ts"
import { globals } from "./common.ts"
import { listOf } from "./wire.ts"

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
