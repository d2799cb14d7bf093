/** Tests every exchange of execution-apis: parameters and answers are decoded, and must encode to the same JSON. */
import { assert, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { JsonRpcServer } from "@plumbline/jsonrpc-core"
import { Result, Schema } from "effect"

import { exchanges, files } from "../support/fixtures.ts"
import type { Tally } from "../support/tally.ts"

/**
 * The number of exchanges in the set for each of our methods: answers, refused parameters, and errors of the node
 * itself.
 */
const ours: Readonly<Record<string, readonly [answers: number, refused?: number, errors?: number]>> = {
  eth_baseFee: [1],
  eth_blockNumber: [1],
  eth_call: [2, 0, 1],
  eth_capabilities: [1],
  eth_chainId: [1],
  eth_config: [1],
  eth_createAccessList: [2],
  eth_estimateGas: [4, 0, 2],
  eth_getBalance: [4],
  eth_getBlockByHash: [3],
  eth_getBlockByNumber: [9],
  eth_getBlockReceipts: [5],
  eth_getBlockTransactionCountByHash: [2],
  eth_getBlockTransactionCountByNumber: [1],
  eth_getCode: [1],
  eth_getLogs: [4],
  eth_getProof: [3],
  eth_getStorageAt: [1, 2],
  eth_getStorageValues: [4],
  eth_getTransactionByBlockHashAndIndex: [1],
  eth_getTransactionByBlockNumberAndIndex: [1],
  eth_getTransactionByHash: [5],
  eth_getTransactionCount: [3],
  eth_getTransactionReceipt: [4],
  eth_sendRawTransaction: [3],
  eth_simulateV1: [37, 0, 24],
  net_version: [1]
}

/** Our methods without an exchange in the set. */
const absent = [
  "eth_accounts",
  "eth_blobBaseFee",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBlockAccessList",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleCountByBlockHash",
  "eth_getUncleCountByBlockNumber",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransactionSync",
  "eth_syncing",
  "net_listening",
  "net_peerCount",
  "web3_clientVersion",
  "web3_sha3"
]

/** The set's other methods, with the number of their exchanges. */
const others: Readonly<Record<string, number>> = {
  debug_getRawBlock: 1,
  debug_getRawHeader: 1,
  debug_getRawReceipts: 1
}

const NOT_OURS = "a method that is not ours"
const REFUSED = "parameters, with the set's code"
const NODE = "an error of the node: the question is well formed"

export const allExchanges = (tally: Tally): void => {
  it("every exchange of our methods is read and written to the same JSON, and none is passed over", () => {
    const names = [...new Set(files("1-execution-apis/tests/*/*.io").map((file) => file.split("/")[2]!))]
    assert.deepStrictEqual(names.toSorted(), [...Object.keys(ours), ...Object.keys(others)].toSorted())
    assert.deepStrictEqual(
      Object.keys(EthMethods.group.methods).toSorted(),
      [...Object.keys(ours), ...absent].toSorted()
    )
    for (const name of names) {
      const counter = tally.count(name)
      const method = EthMethods.group.get(name)
      for (const { file, request, answer } of exchanges(name)) {
        if (method === undefined) {
          counter.outside(NOT_OURS)
          continue
        }
        const params = JsonRpcServer.checkParams(method, request.params)
        if (answer.error !== undefined) {
          if (Result.isFailure(params)) {
            assert.strictEqual(params.failure.code, answer.error.code, file)
            counter.refuted(REFUSED)
          } else counter.outside(NODE)
          continue
        }
        assert.deepStrictEqual(Result.getOrThrow(params), request.params ?? [], file)
        const decoded = Schema.decodeUnknownSync(method.result)(answer.result)
        // The texts are equal, so unknown fields and the order of fields are kept.
        const again = Schema.encodeSync(method.result)(decoded)
        assert.strictEqual(JSON.stringify(again), JSON.stringify(answer.result), file)
        counter.verified()
      }
      const [answers, refused = 0, errors = 0] = ours[name] ?? [0]
      const other = others[name] ?? 0
      counter.expect({
        verified: answers,
        refuted: refused === 0 ? {} : { [REFUSED]: refused },
        outside: { ...(errors === 0 ? {} : { [NODE]: errors }), ...(other === 0 ? {} : { [NOT_OURS]: other }) }
      })
    }
  })
}
