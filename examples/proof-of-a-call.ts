/** Writes a call with all that it reads to a file, and runs it again without any node. */
import { Hash32 } from "@plumbline/codec"
import { Anvil, PreparedState } from "@plumbline/devnet"
import type { CallEngine } from "@plumbline/eth-methods"
import { VerdictEthClient } from "@plumbline/eth-methods"
import { CallReplay, ProofBundle } from "@plumbline/proof-bundle"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Result } from "effect"

const { token } = PreparedState.contracts
const hash = Hash32.fromHexUnsafe(PreparedState.head.hash)
const chain = Hardforks.always(31_337n, "osaka")

// with a node: the call is run over proven state, and the bundle gets what it read
const making = Effect.gen(function* () {
  const { url } = yield* Anvil.Anvil
  const eth = VerdictEthClient.layerUrl(url).pipe(Layer.provide(VerifiedCalls.layer({ chain })))
  const totalSupply = { to: token.address, data: "0x18160ddd" } as const
  const made = ProofBundle.make({ block: hash, call: { request: totalSupply, signature: "totalSupply()(uint256)" } })
  return ProofBundle.encode((yield* Effect.provide(made, eth)).value)
})
const file = await Effect.runPromise(Effect.provide(making, Anvil.layer()))

// on any machine that has the file, the hash, and its own knowledge of the chain's rules
const bundle = Result.getOrThrow(ProofBundle.open(file, hash))
const known = Hardforks.rulesAt(chain, { number: bundle.header.number!, timestamp: bundle.header.timestamp })
const engine = (rules: CallEngine.CallRules) => {
  const named = Hardforks.ofRules(rules)
  return named === undefined ? undefined : VerifiedCalls.make({ chain: named })
}
const { _tag, value } = await Effect.runPromise(CallReplay.run(bundle, { engine, known }))
console.log(_tag, value._tag === "Returned" && BigInt(value.data)) // => VERIFIED 1000000000000000000000000n
const unsure = await Effect.runPromise(CallReplay.run(bundle, { engine }))
console.log(unsure._tag) // => CLAIMED
