/** Tests calls that the page runs, over the history chain in this process, with an honest node and with a lying one. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Effect from "effect/Effect"
import { decodeErrorResult, encodeFunctionData, parseAbi } from "viem"
import { describe, expect, test } from "vitest"

import * as CallReads from "../src/chain/CallReads.ts"
import * as NetworkRules from "../src/chain/NetworkRules.ts"
import * as Proving from "../src/chain/Proving.ts"
import * as OnHistory from "./support/OnHistory.ts"

const HEAD = Hash32.fromHexUnsafe(HistoryChain.head.hash)
const TOKEN = HistoryChain.contracts.token.address
const PROXY = HistoryChain.contracts.proxy.address
const abi = parseAbi([
  "function totalSupply() view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
  "error InsufficientBalance(address owner, uint256 balance, uint256 needed)"
])
const SUPPLY = { to: TOKEN, data: encodeFunctionData({ abi, functionName: "totalSupply" }) }
const STRANGER = "0x00000000000000000000000000000000000000aa"
const TRANSFER = { to: TOKEN, data: encodeFunctionData({ abi, functionName: "transfer", args: [PROXY, 7n] }) }
const pinned = TrustedBlock.layerPinned(HEAD)

/** The total supply is in slot 2 of the token. */
const supply = await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(EthClient.make, (eth) => eth.getStorageAt(TOKEN, "0x2", { blockHash: HEAD })),
    OnHistory.layer(pinned)
  )
)

const read = (...[request, change]: readonly [CallRequest.CallRequest, ((answer: string) => string)?]) =>
  CallReads.read(request, { blockHash: HEAD }).pipe(Effect.provide(OnHistory.layer(pinned, change)))

describe("a call in the page", () => {
  test("is verified, with the slots that it read", async () => {
    const { anchor, basis, end, why } = await Effect.runPromise(read(SUPPLY))
    expect(end).toMatchObject({ _tag: "Returned", data: supply })
    expect(anchor).toEqual({ _tag: "Block", hash: HEAD })
    expect(why).toBeUndefined()
    expect(basis?.hardfork).toBe("osaka")
    const [account] = basis!.accounts
    expect(account?.address).toBe(TOKEN)
    expect(account?.slots).toEqual([`0x${"2".padStart(64, "0")}`])
  })

  test("is refuted if the node changes the slot", async () => {
    const word = BigInt(supply).toString(16)
    const changed = (answer: string): string =>
      answer.replaceAll(`"value":"0x${word}"`, `"value":"0x${"1".padEnd(word.length, "0")}"`)
    const error = await Effect.runPromise(Effect.flip(read(SUPPLY, changed)))
    expect(error._tag).toBe("RefutedError")
  })

  test("that reverts is a verified result", async () => {
    const { anchor, end } = await Effect.runPromise(read({ ...TRANSFER, from: STRANGER }))
    expect(anchor).toBeDefined()
    expect(end._tag).toBe("Reverted")
    expect(end._tag === "Reverted" && decodeErrorResult({ abi, data: end.data })).toMatchObject({
      errorName: "InsufficientBalance",
      args: [expect.stringMatching(new RegExp(STRANGER, "iu")), 0n, 7n]
    })
  })

  test("has the rules of a known chain, or those that the operator names if this page knows all of them", () => {
    expect(NetworkRules.forksOf({ chainId: 424_242, forks: null })).toBeUndefined()
    // one unknown fork makes the others useless
    expect(NetworkRules.forksOf({ chainId: 424_242, forks: [{ hardfork: "later", block: 0 }] })).toBeUndefined()
    expect(NetworkRules.forksOf({ chainId: "0x534e", forks: null })).toBeUndefined()
    // the operator cannot change the rules of a chain that is known
    expect(
      NetworkRules.forksOf({ chainId: 1, forks: [{ hardfork: "london", block: 0 }] })?.forks.length
    ).toBeGreaterThan(10)
  })
})

describe("eth_call of the playground", () => {
  const ask = (request: object, change?: (answer: string) => string) =>
    Effect.runPromise(
      Proving.ask({ method: "eth_call", params: [request, { blockHash: HEAD }] }).pipe(
        Effect.provide(OnHistory.layer(pinned, change))
      )
    )

  test("is verified, and says what it read", async () => {
    const { outcome } = await ask(SUPPLY)
    expect(outcome).toMatchObject({ _tag: "VERIFIED", result: supply, call: { hardfork: "osaka" } })
  })

  test("shows a proven revert as a node does", async () => {
    const { outcome } = await ask({ ...TRANSFER, from: STRANGER })
    expect(outcome).toMatchObject({
      _tag: "VERIFIED",
      result: { error: { code: 3, data: expect.stringMatching(/^0x[0-9a-f]+$/u) } },
      call: { hardfork: "osaka" }
    })
  })

  test("is refuted if the node sends other code", async () => {
    const { outcome } = await ask(SUPPLY, (answer) => answer.replace(/"result":"0x60/u, '"result":"0x61'))
    expect(outcome._tag).toBe("REFUTED")
  })
})
