/** The first block of mainnet, whose hash everyone knows, and nodes that answer from a table. */
import { type Upstream, UpstreamError } from "@plumbline/gateway"
import { Effect } from "effect"

const ZEROS = `0x${"00".repeat(32)}`
const NO_TRANSACTIONS = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

export const HASH = "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"

/** The block in wire form, as execution-apis has it. */
export const block = {
  number: "0x0",
  hash: HASH,
  parentHash: ZEROS,
  nonce: "0x0000000000000042",
  mixHash: ZEROS,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: NO_TRANSACTIONS,
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  receiptsRoot: NO_TRANSACTIONS,
  miner: `0x${"00".repeat(20)}`,
  difficulty: "0x400000000",
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  gasLimit: "0x1388",
  gasUsed: "0x0",
  timestamp: "0x0",
  size: "0x21c",
  uncles: [],
  transactions: []
}

/** A false copy of the block: it has another gas limit, but the true hash. */
export const lie = { ...block, gasLimit: "0x1389" }

/**
 * A node that answers from a table, and records the methods that it was asked for. If the table has a fault or an error
 * object for a method, the call fails with it.
 */
export interface Node extends Upstream.Upstream {
  readonly asked: Array<string>
}

export const node = (answers: Readonly<Record<string, unknown>>): Node => {
  const asked: Array<string> = []
  return {
    asked,
    call: (method) =>
      Effect.suspend(() => {
        asked.push(method)
        const answer = Object.hasOwn(answers, method) ? answers[method] : { code: -32601, message: "no such method" }
        return answer instanceof UpstreamError.UpstreamError || isError(answer)
          ? Effect.fail(answer)
          : Effect.succeed(encoder.encode(typeof answer === "function" ? answer() : JSON.stringify(answer)))
      })
  }
}

const isError = (answer: unknown): answer is { readonly code: number; readonly message: string } =>
  typeof answer === "object" && answer !== null && "code" in answer && "message" in answer

const encoder = new TextEncoder()
