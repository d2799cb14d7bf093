/**
 * Every exchange of the interface's methods in ethereum/execution-apis: parameters and results decode, encode to the
 * same JSON, and verify where the exchange holds enough to verify.
 */
import { assert, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import {
  type Block,
  EthMethods,
  type Verified,
  verifyAccountProof,
  verifyBlock,
  verifyTransaction
} from "@plumbline/eth-methods"
import { JsonRpcServer, type Method } from "@plumbline/jsonrpc-core"
import { Result, Schema } from "effect"

import { conformance, type Exchange, exchanges, json } from "./support/fixtures.ts"

const head = (): Hash32.Hash32 =>
  Hash32.fromHexUnsafe(json("1-execution-apis/tests/headfcu.json").params[0].headBlockHash)

const methodOf = (exchange: Exchange): Method.Any =>
  EthMethods.group.get(exchange.request.method) ?? assert.fail(exchange.request.method)

const decodeResult = <M extends Method.Any>(method: M, exchange: Exchange): Method.Result<M> => {
  const decoded = Schema.decodeUnknownSync(method.result)(exchange.answer.result)
  // to the same text: fields that are not ours and the order of all are kept
  assert.strictEqual(JSON.stringify(Schema.encodeSync(method.result)(decoded)), JSON.stringify(exchange.answer.result))
  return decoded
}

const decodeBlock = Schema.decodeUnknownSync(Schema.NullOr(EthMethods.eth_getBlockByHash.result))

/** A block of the answers, proven by the hash that the exchange or the chain's head names. */
const proven = (block: Block.Block, hash: Hash32.Hash32): Verified.Verified<Block.Block> => {
  const verdict = Result.getOrThrow(verifyBlock(block, hash))
  assert(verdict._tag === "VERIFIED")
  return verdict
}

conformance("execution-apis", () => {
  const methods = [
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getTransactionByHash",
    "eth_getTransactionByBlockHashAndIndex",
    "eth_getStorageAt",
    "eth_getProof",
    "eth_blockNumber",
    "eth_chainId"
  ]
  for (const name of methods) {
    for (const exchange of exchanges(name)) {
      it(`${name} ${exchange.file}: parameters and answer decode and encode to the same JSON`, () => {
        const method = methodOf(exchange)
        const params = JsonRpcServer.checkParams(method, exchange.request.params)
        if (exchange.answer.error !== undefined) {
          const { code } = exchange.answer.error
          assert.strictEqual(Result.isFailure(params) ? params.failure.code : 0, code)
          return
        }
        assert.deepStrictEqual(Result.getOrThrow(params), exchange.request.params ?? [])
        decodeResult(method, exchange)
      })
    }
  }

  it("blocks by hash and by number verify, every one that is there", () => {
    let verified = 0
    for (const exchange of [...exchanges("eth_getBlockByHash"), ...exchanges("eth_getBlockByNumber")]) {
      const block = decodeBlock(exchange.answer.result)
      if (block === null) continue
      const [asked] = exchange.request.params ?? []
      const byHash = exchange.request.method === "eth_getBlockByHash"
      const { claimed } = proven(block, byHash ? Hash32.fromHexUnsafe(String(asked)) : block.hash!)
      // whole transactions leave nothing to claim; hashes leave themselves and the size
      const whole = block.transactions.length === 0 || typeof block.transactions[0] !== "string"
      const allowed = whole ? ["uncles", "size"] : ["transactions", "size", "uncles"]
      for (const claim of claimed) assert.include(allowed, claim.field, exchange.file)
      verified++
    }
    assert.strictEqual(verified, 9)
  })

  it("the head's blocks are the chain's: its latest, safe and finalized answers verify against the head's hash", () => {
    for (const file of ["get-latest.io", "get-safe.io", "get-finalized.io"]) {
      const exchange = exchanges("eth_getBlockByNumber").find((other) => other.file === file)!
      assert.strictEqual(proven(decodeBlock(exchange.answer.result)!, head()).anchor.hash, head())
    }
  })

  it("transactions verify by their hash, every one that is there", () => {
    let verified = 0
    for (const name of ["eth_getTransactionByHash", "eth_getTransactionByBlockHashAndIndex"] as const) {
      for (const exchange of exchanges(name)) {
        const transaction = decodeResult(EthMethods.eth_getTransactionByHash, exchange)
        if (transaction === null) continue
        const asked = name === "eth_getTransactionByHash" ? String(exchange.request.params?.[0]) : transaction.hash
        const verdict = Result.getOrThrow(verifyTransaction(transaction, Hash32.fromHexUnsafe(asked)))
        assert.strictEqual(verdict._tag, "VERIFIED", exchange.file)
        verified++
      }
    }
    assert.strictEqual(verified, 5)
  })

  it("the transaction by block hash and index is the one in the proven block", () => {
    const [byIndex] = exchanges("eth_getTransactionByBlockHashAndIndex")
    const hash = Hash32.fromHexUnsafe(String(byIndex!.request.params?.[0]))
    const exchange = exchanges("eth_getBlockByHash").find((other) => other.request.params?.[0] === hash)!
    const { value } = proven(decodeBlock(exchange.answer.result)!, hash)
    const transaction = decodeResult(EthMethods.eth_getTransactionByBlockHashAndIndex, byIndex!)
    assert.deepStrictEqual(value.transactions[0], transaction)
  })

  it("account proofs verify under the head's state root", () => {
    const latest = exchanges("eth_getBlockByNumber").find((exchange) => exchange.file === "get-latest.io")!
    const block = proven(decodeBlock(latest.answer.result)!, head())
    let verified = 0
    for (const exchange of exchanges("eth_getProof")) {
      const params = Schema.decodeUnknownSync(Schema.Array(Schema.Unknown))(exchange.request.params)
      const proof = decodeResult(EthMethods.eth_getProof, exchange)
      const address = Schema.decodeUnknownSync(EthMethods.eth_getProof.params[0].schema)(params[0])
      const storageKeys = Schema.decodeUnknownSync(EthMethods.eth_getProof.params[1].schema)(params[1])
      Result.getOrThrow(verifyAccountProof(proof, { address, storageKeys }, block))
      verified++
    }
    assert.strictEqual(verified, 3)
  })
})
