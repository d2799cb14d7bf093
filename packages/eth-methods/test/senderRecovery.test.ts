import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Result } from "effect"

import { BlockRlp, ProvenEthClient, SenderRecovery, TrustedBlock, VerdictEthClient, Verify } from "../src/index.ts"
import * as Made from "./support/made.ts"

/** An engine that counts its calls and answers with `answer`. */
const counting = (answer: SenderRecovery.RecoveryEngine["recover"] = SenderRecovery.noble.recover) => {
  const calls: Array<readonly [Uint8Array, Uint8Array, 0 | 1]> = []
  const engine: SenderRecovery.RecoveryEngine = {
    name: "counting",
    recover: (digest, signature, parity) => {
      calls.push([digest, signature, parity])
      return answer(digest, signature, parity)
    }
  }
  return { calls, engine }
}

const answered = (json: Made.Json): Layer.Layer<Transport.Transport> =>
  Layer.succeed(Transport.Transport, {
    call: () => Effect.succeed(json),
    callAll: () => Effect.succeed([])
  } as never)

describe("SenderRecovery", () => {
  it("recovers every sender of a block with the engine that is given", async () => {
    const block = Made.decodeBlock(await Made.block(Hardfork.Prague))
    const { calls, engine } = counting()
    const verdict = Result.getOrThrow(Verify.block(block, block.hash!, { recovery: engine }))
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.strictEqual(calls.length, block.transactions.length)
    for (const [digest, signature, parity] of calls) {
      assert.strictEqual(digest.length, 32)
      assert.strictEqual(signature.length, 64)
      assert.include([0, 1], parity)
    }
  })

  it("recovers none when the senders are not asked for", async () => {
    const block = Made.decodeBlock(await Made.block(Hardfork.Prague))
    const { calls, engine } = counting()
    Result.getOrThrow(Verify.block(block, block.hash!, { recovery: engine, senders: false }))
    assert.strictEqual(calls.length, 0)
  })

  it("refutes `from` when the engine finds another key, and the signature when it finds none", async () => {
    const block = Made.decodeBlock(await Made.block(Hardfork.Prague))
    const check = (answer: SenderRecovery.RecoveryEngine["recover"]) => {
      const verdict = Verify.block(block, block.hash!, { recovery: counting(answer).engine })
      return Result.isFailure(verdict) ? verdict.failure.check : "verified"
    }
    assert.strictEqual(
      check(() => undefined),
      "transactions[0] signature"
    )
    assert.strictEqual(
      check(() => new Uint8Array(64)),
      "transactions[0].from"
    )
    // with the other parity, `r` means another point of the curve, and the recovered key is another one
    assert.strictEqual(
      check((digest, signature, parity) => SenderRecovery.noble.recover(digest, signature, parity === 0 ? 1 : 0)),
      "transactions[0].from"
    )
  })

  it("gives no engine an r or s outside of the group's order", () => {
    const json = Made.answerOf(Made.signed(Hardfork.London)[1]!)
    const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const hex = (value: bigint): string => `0x${value.toString(16)}`
    const { calls, engine } = counting()
    const check = (r: bigint, s: bigint) => {
      const first = Made.decodeTransaction({ ...json, r: hex(r), s: hex(s) })
      // the changed transaction is checked again under its own hash, so that only the signature decides
      const own = Verify.transaction(first, first.hash, { recovery: engine })
      const hash = Result.isFailure(own) ? (own.failure.got as Hash32.Hash32) : assert.fail("verified")
      const again = Verify.transaction(Made.decodeTransaction({ ...json, r: hex(r), s: hex(s), hash }), hash, {
        recovery: engine
      })
      return Result.isFailure(again) ? again.failure.check : "verified"
    }
    const most = 2n ** 256n - 1n
    for (const [r, s] of [
      [0n, 1n],
      [1n, 0n],
      [n, 1n],
      [1n, n],
      [n + 1n, 1n],
      [1n, n + 1n],
      [most, most]
    ] as const) {
      assert.strictEqual(check(r, s), "transaction signature", `${r} ${s}`)
    }
    assert.strictEqual(calls.length, 0)
    // the greatest `s` is in range, so the engine runs; no point of the curve has the `x` 5
    assert.strictEqual(check(1n, n - 1n), "transaction.from")
    assert.strictEqual(check(5n, n - 1n), "transaction signature")
    assert.strictEqual(calls.length, 2)
  })

  it("is what the layers of both proving clients use, unless their options name an engine", async () => {
    const json = await Made.block(Hardfork.Prague)
    const hash = Hash32.fromHexUnsafe(Made.string(json["hash"]))
    const count = Made.list(json["transactions"]).length
    const read = <R, E>(client: Layer.Layer<R, E>, ask: Effect.Effect<unknown, unknown, R>) =>
      Effect.runPromise(Effect.provide(ask, client) as Effect.Effect<unknown>)
    const verdict = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByHash(hash, { full: true }))
    const proven = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockByHash(hash, { full: true }))
    const below = [answered(json), TrustedBlock.layerNone()] as const

    const service = counting()
    const provided = Layer.succeed(SenderRecovery.SenderRecovery, service.engine)
    await read(VerdictEthClient.layer().pipe(Layer.provide([...below, provided])), verdict)
    assert.strictEqual(service.calls.length, count)
    await read(ProvenEthClient.layer().pipe(Layer.provide([...below, provided])), proven)
    assert.strictEqual(service.calls.length, 2 * count)

    const option = counting()
    const options = { recovery: option.engine }
    await read(VerdictEthClient.layer(options).pipe(Layer.provide([...below, provided])), verdict)
    await read(ProvenEthClient.layer(options).pipe(Layer.provide([...below, provided])), proven)
    assert.strictEqual(option.calls.length, 2 * count)
    assert.strictEqual(service.calls.length, 2 * count)
  })

  it("recovers the senders of blocks and transactions that are read from RLP", async () => {
    const block = Made.decodeBlock(await Made.block(Hardfork.Prague))
    const bytes = Result.getOrThrow(BlockRlp.encode({ block: block as never, uncles: [] }))
    const { calls, engine } = counting()
    const whole = Result.getOrThrow(BlockRlp.decode(bytes, { recovery: engine }))
    assert.strictEqual(calls.length, block.transactions.length)
    const one = BlockRlp.encodeTransaction(whole.block.transactions[0]!)!
    Result.getOrThrow(BlockRlp.decodeTransaction(one, { recovery: engine }))
    assert.strictEqual(calls.length, block.transactions.length + 1)
  })
})
