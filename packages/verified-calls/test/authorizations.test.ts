/** Authorization lists (EIP-7702) in a request. The laboratory compares them with geth and anvil. */
import { assert, describe, it } from "@effect/vitest"
import { eoaCode7702SignAuthorization, hexToBytes, privateToAddress } from "@ethereumjs/util"
import { Hex } from "@plumbline/codec"
import { EthEvidence, EthReason } from "@plumbline/eth-methods"
import { Effect } from "effect"

import { call, OTHER, outcome, type Setting } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const KEY = hexToBytes(`0x${"17".repeat(32)}`)
const AUTHORITY = Hex.fromBytes(privateToAddress(KEY))
const RETURN = "5f5260205ff3"

/** Signs that the authority runs the code of OTHER, by @ethereumjs/util. */
const signed = (
  fields: { readonly chainId?: bigint; readonly nonce?: bigint; readonly address?: MadeNode.Text } = {}
) => {
  const { address = OTHER, chainId = MadeNode.CHAIN_ID, nonce = 0n } = fields
  const text = (value: bigint): MadeNode.Text => `0x${value.toString(16)}`
  const made = eoaCode7702SignAuthorization({ chainId: text(chainId), address, nonce: text(nonce) }, KEY)
  const [, , , yParity, r, s] = made.map((part) => Hex.fromBytes(part))
  return { chainId, address, nonce, yParity: BigInt(yParity === "0x" ? 0 : yParity!), r: r!, s: s! }
}

const ask = (authorizationList: ReadonlyArray<ReturnType<typeof signed>>, more: Partial<Setting> = {}): Setting => ({
  accounts: { [OTHER]: { code: `0x30${RETURN}` }, ...more.accounts },
  ...(more.fork === undefined ? {} : { fork: more.fork }),
  // an empty list is not an absent one
  request: { to: AUTHORITY, ...(authorizationList.length === 0 ? {} : { authorizationList }), ...more.request }
})

describe("an authorization", () => {
  it.effect("makes its signer run the code of the named account", () =>
    Effect.gen(function* () {
      const { value } = yield* call(ask([signed()]))
      assert.strictEqual(value._tag, "VERIFIED")
      // ADDRESS is the authority: 21,000, 25,000 for the list, and pushes
      assert.deepEqual(value.value, {
        _tag: "Returned",
        data: MadeNode.word(BigInt(AUTHORITY)),
        gasUsed: 21_000n + 25_000n + 2n + 2n + 6n + 3n + 2n
      } as never)
      const read = value.proven.find(EthEvidence.CallRun.is)!.accounts.map(({ address }) => address)
      assert.sameMembers(read, [AUTHORITY, OTHER, MadeNode.ZERO] as never)
    })
  )

  it.effect("gives gas back if its signer exists, and zero takes a delegation away", () =>
    Effect.gen(function* () {
      const exists = { [AUTHORITY]: { balance: 1n, code: `0xef0100${OTHER.slice(2)}` as const } }
      const kept = yield* outcome(ask([], { accounts: exists }))
      assert.include(kept, { data: MadeNode.word(BigInt(AUTHORITY)) })
      const none = yield* outcome(ask([signed({ address: MadeNode.ZERO })], { accounts: exists }))
      // a fifth of the gas at most is given back (EIP-3529)
      assert.deepInclude(none, { data: "0x", gasUsed: 46_000n - 46_000n / 5n })
    })
  )

  it.effect("counts only with the right chain, nonce and signature", () =>
    Effect.gen(function* () {
      const good = signed()
      const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
      const order = 2n * half + 1n
      const high = { ...good, s: MadeNode.word(order - BigInt(good.s)), yParity: 1n - good.yParity }
      for (const wrong of [
        signed({ chainId: 1n }),
        signed({ nonce: 1n }),
        { ...good, nonce: 1n },
        { ...good, yParity: 2n },
        high,
        { ...good, r: MadeNode.word(0) }
      ]) {
        assert.deepInclude(yield* outcome(ask([wrong])), { data: "0x", gasUsed: 46_000n })
      }
      assert.include(yield* outcome(ask([signed({ chainId: 0n })])), { data: MadeNode.word(BigInt(AUTHORITY)) })
      // the sender's nonce has risen before its own authorization is read
      const own = yield* outcome(ask([signed({ nonce: 1n })], { request: { from: AUTHORITY } }))
      assert.include(own, { data: MadeNode.word(BigInt(AUTHORITY)) })
      // a contract signs nothing
      const contract = yield* outcome(ask([good], { accounts: { [AUTHORITY]: { code: "0x00" } } }))
      assert.include(contract, { data: "0x" })
    })
  )

  it.effect("is refused before Prague, and in a creation", () =>
    Effect.gen(function* () {
      const reasonOf = (setting: Setting) =>
        Effect.map(Effect.flip(call(setting)), (error) => {
          const reason = error._tag === "UnprovenError" ? error.claims[0]?.reason : undefined
          return reason !== undefined && EthReason.CallNotRun.is(reason) ? reason.cause.message : error.message
        })
      assert.match(yield* reasonOf(ask([signed()], { fork: "cancun" })), /authorization list by the rules of cancun/u)
      assert.match(
        yield* reasonOf(ask([signed()], { request: { to: null } })),
        /a creation with an authorization list/u
      )
    })
  )
})
