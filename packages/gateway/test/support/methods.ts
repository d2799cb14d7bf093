/**
 * A small group of methods with the shapes of Ethereum's methods. It does not depend on the package with the real
 * methods.
 */
import { Method, MethodGroup } from "@plumbline/jsonrpc-core"
import { Schema } from "effect"

const matching = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

const Hash = matching(/^0x[0-9a-fA-F]{64}$/u, "a 32-byte 0x hex")
const Address = matching(/^0x[0-9a-fA-F]{40}$/u, "a 20-byte 0x hex")
// The length is counted: when a process has many patterns, the engine stops to optimise them, and then a repeated group
// needs too much stack for megabytes.
const Data = matching(/^0x[0-9a-fA-F]*$/u, "0x data").check(
  Schema.makeFilter((text) => text.length % 2 === 0, { expected: "0x data" })
)
const Block = Schema.Union([
  Schema.Literals(["latest", "earliest", "pending", "safe", "finalized"]),
  matching(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/u, "a 0x quantity")
])

/** The methods. The check converts hex to lower case, so a test can see that the canonical form is sent. */
export const methods = MethodGroup.make(
  Method.make("eth_chainId", { params: [], result: Schema.String }),
  Method.make("eth_getBlockByHash", {
    params: [Method.param("hash", Hash), Method.param("full", Schema.Boolean)],
    result: Schema.Unknown
  }),
  Method.make("eth_getStorageAt", {
    params: [Method.param("address", Address), Method.param("position", Data), Method.param("block", Block)],
    result: Schema.String
  }),
  Method.make("eth_call", {
    params: [
      Method.param("call", Schema.Struct({ to: Address, data: Schema.optionalKey(Data) })),
      Method.param("block", Block, { optional: true })
    ],
    result: Schema.String
  })
)

export const HASH = `0x${"ab".repeat(32)}`
export const ADDRESS = `0x${"cd".repeat(20)}`
