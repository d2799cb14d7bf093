/** Runs recorded calls of mainnet over recorded proofs, and compares the outcome with the node's recorded answer. */
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { Hash32, Hex, Keccak256 } from "@plumbline/codec"
import { CallRequest, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Result, Schema } from "effect"

import { conformance, files, json } from "./support/fixtures.ts"

/** The recorded answers of a node: a block, proofs and codes. */
interface Recording {
  readonly block: any
  readonly proofs: ReadonlyArray<any>
  readonly codes: ReadonlyMap<string, string>
  readonly accessList?: unknown
}

/** Answers as the recorded node did; what was not recorded is an error. */
const replay = ({ accessList, block, codes, proofs }: Recording): Transport.Transport["Service"] => {
  const answer = (method: string, params: ReadonlyArray<any>): unknown => {
    switch (method) {
      case "eth_getBlockByHash":
        return {
          ...block,
          transactions: block.transactions.map((transaction: any) => transaction.hash ?? transaction)
        }
      case "eth_createAccessList":
        return accessList
      case "eth_getCode": {
        const proof = proofs.find(({ address }) => address.toLowerCase() === params[0])
        return codes.get(params[0]) ?? ([Keccak256.EMPTY, Hash32.ZERO].includes(proof?.codeHash) ? "0x" : undefined)
      }
      case "eth_getProof": {
        const [address, keys] = params as [string, ReadonlyArray<string>]
        const proof = proofs.find((proof) => proof.address.toLowerCase() === address)
        const slots = keys.map((key) => proof?.storageProof.find((slot: any) => BigInt(slot.key) === BigInt(key)))
        return proof === undefined || slots.includes(undefined) ? undefined : { ...proof, storageProof: slots }
      }
      default:
        return undefined
    }
  }
  const call = ({ method, params }: Transport.WireCall) => {
    const found = answer(method, params)
    const reason = new JsonRpcError.RemoteError({ code: -32_000, message: "not recorded" })
    return found === undefined ? Effect.fail(new JsonRpcError.JsonRpcError({ method, reason })) : Effect.succeed(found)
  }
  return { call, callAll: (calls) => Effect.forEach(calls, (one) => Effect.result(call(one))) }
}

/** Calls at the recorded block, as a reader who trusts its hash and knows that the chain is mainnet. */
const call = (recording: Recording, request: unknown) => {
  const eth = VerdictEthClient.layer({ chainId: 1n }).pipe(
    Layer.provide([
      Layer.succeed(Transport.Transport, replay(recording)),
      TrustedBlock.layerNone(),
      VerifiedCalls.layer()
    ])
  )
  const asked: CallRequest.CallRequest = Schema.decodeUnknownSync(CallRequest.CallRequest)({
    ...(request as object),
    // one recording has an address with a wrong checksum
    to: (request as { readonly to: string }).to.toLowerCase()
  })
  const hash = Hash32.fromHexUnsafe(recording.block.hash)
  return Effect.provide(
    VerdictEthClient.VerdictEthClient.use((client) => client.call(asked, hash)),
    eth
  )
}

const codesOf = (): Map<string, string> =>
  new Map(files("11-calls/code/*.json").map((file) => [path.basename(file, ".json"), json(file).result]))

conformance("recorded calls of mainnet", () => {
  for (const name of ["usdc-balanceOf-1", "precompile-sha256", "simulate-no-code"]) {
    const recorded = json(`11-calls/${name}/call.json`)
    const [request] = recorded.params
    const expected = recorded.expected_result.returnValue ?? recorded.expected_result
    const proofs = files(`11-calls/${name}/proof-*.json`).map((file) => json(file).result)
    let whole = 0
    for (const file of files(`11-calls/${name}/block-*.json`)) {
      const block = json(file).result ?? json(file)
      const ofBlock = proofs.filter(
        ({ accountProof }) => Keccak256.hashHex(Hex.toBytesUnsafe(accountProof[0])) === block.stateRoot
      )
      const isWhole = ofBlock.some(({ address }) => address.toLowerCase() === request.to.toLowerCase())
      if (isWhole) whole++
      it.effect(
        `${name} in block ${BigInt(block.number)} is ${isWhole ? "as recorded" : "unproven: a proof is missing"}`,
        () =>
          Effect.gen(function* () {
            const outcome = yield* Effect.result(call({ block, proofs: ofBlock, codes: codesOf() }, request))
            if (!isWhole) {
              const error = Result.isFailure(outcome) ? outcome.failure : undefined
              assert.strictEqual(error?._tag, "UnprovenError")
              return
            }
            const verdict = Result.getOrThrow(outcome)
            assert.strictEqual(verdict._tag, "VERIFIED")
            assert.include(verdict.value, { _tag: "Returned", data: expected })
          })
      )
    }
    it(`${name} has a block with all its proofs`, () => {
      assert.isAbove(whole, 0)
    })
  }

  it.effect("a call that lodestar's prover recorded is as recorded", () =>
    Effect.gen(function* () {
      const { dependentRequests, execution, request, response } = json("3-mainnet/lodestar-prover/eth_call.json")
      const exchanges = dependentRequests.flatMap((exchange: any) => {
        const asked = [exchange.request ?? exchange.payload].flat()
        const answers = [exchange.response].flat()
        return asked.map((one: any) => ({ ...one, result: answers.find(({ id }: any) => id === one.id).result }))
      })
      const of = (method: string) => exchanges.filter((exchange: any) => exchange.method === method)
      const verdict = yield* call(
        {
          block: execution.block,
          proofs: of("eth_getProof").map(({ result }: any) => result),
          codes: new Map(of("eth_getCode").map(({ params, result }: any) => [params[0].toLowerCase(), result])),
          accessList: of("eth_createAccessList")[0].result
        },
        request.params[0]
      )
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.include(verdict.value, { _tag: "Returned", data: response.result })
    })
  )
})
