/**
 * Measures a whole update of 512 members with each engine, and the minimum work of a signature: one hash to G2, one
 * pairing.
 */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { Codec, LightClientStore, MadeChain, Network } from "@plumbline/beacon-light-client"
import { Result } from "effect"
import { expect, test } from "vitest"

import { engines } from "../test/support/engines.ts"

const DST = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"

const network = Network.mainnet
const form = { fork: "electra", syncCommitteeSize: 512 } as const
/** The first slot of a period of Electra. */
const start = 1500n * 8192n
const chain = MadeChain.make(network)
const begun = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(start), chain.root(start), network))
/** Three members are absent, as on mainnet. */
const signers = Array.from({ length: 512 }, (_, at) => at).filter((at) => ![7, 200, 431].includes(at))
const bytes = Codec.update.encode(chain.update({ attested: start + 200n, finalized: start + 100n, signers }), form)

/** Makes a store whose committee is a new object, so that no engine has cached its keys. */
const fresh = (): LightClientStore.LightClientStore => ({
  ...begun,
  currentSyncCommittee: { ...begun.currentSyncCommittee }
})

const process = (
  store: LightClientStore.LightClientStore,
  bls: LightClientStore.LightClientStoreOptions["bls"]
): void => {
  const update = Result.getOrThrow(Codec.update.decode(bytes, form))
  Result.getOrThrow(LightClientStore.process(store, update, { network, currentSlot: start + 300n, bls }))
}

const { longSignatures } = bls12_381
const secret = new Uint8Array(32).fill(3)
const message = new Uint8Array(32).fill(9)
const key = longSignatures.getPublicKey(secret)
const signature = longSignatures.sign(longSignatures.hash(message, DST), secret)

test("an update, from its bytes", async ({ bench }) => {
  const pairing = bench("@noble/curves: hash to G2 and pairing alone", () => {
    longSignatures.verify(signature, longSignatures.hash(message, DST), key)
  })
  const updates = engines.flatMap((engine) => [
    bench(`${engine.name}: committee known`, () => process(begun, engine)),
    bench(`${engine.name}: committee new`, () => process(fresh(), engine))
  ])
  const result = await bench.compare(pairing, updates[0]!, ...updates.slice(1), { time: 4000 })
  expect(result).toBeDefined()
})
