/**
 * The blocks of which a node has data, as the node states them in its answer to `eth_capabilities`.
 *
 * The statement only orders the nodes for a call. A false one costs a try of another node, or makes the node the last
 * that is asked.
 *
 * Source: execution-apis `src/schemas/capabilities.yaml` (pull request 755), and geth `internal/ethapi/capabilities.go`.
 */
import * as Capabilities from "@plumbline/eth-methods/model/Capabilities"
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A kind of data of blocks, by its name in the answer. Nodes delete each kind by a rule of its own. */
export type HistoryData = Exclude<keyof Capabilities.Capabilities, "head">

/** The method that asks for the statement. */
export const METHOD = "eth_capabilities"

/** Reads an answer. Returns undefined for one that has another form, or is too long. */
export const read = (json: Uint8Array): Capabilities.Capabilities | undefined =>
  json.length > MAX_BYTES ? undefined : Result.getOrUndefined(decode(JsonBytes.parse(json)))

/**
 * Returns the number of the oldest block of which the node has this data; infinity if it has none. Undefined if the node
 * does not say. `latest` is the node's latest block, or -1 if it is unknown: a window of blocks moves with it.
 */
export const oldestOf = (
  { head, ...stated }: Capabilities.Capabilities,
  data: HistoryData,
  latest: number
): number | undefined => {
  const { deleteStrategy, disabled, oldestBlock } = stated[data]
  if (disabled) return Infinity
  const oldest = oldestBlock === undefined ? undefined : Number(oldestBlock)
  if (deleteStrategy?.retentionBlocks === undefined) return oldest
  const first = (latest < 0 ? Number(head.number) : latest) + 1 - Number(deleteStrategy.retentionBlocks)
  return Math.max(oldest ?? 0, first)
}

const decode = Schema.decodeUnknownResult(Capabilities.Capabilities)

/** Maximum number of bytes of an answer. An answer has about 700. */
const MAX_BYTES = 8192
