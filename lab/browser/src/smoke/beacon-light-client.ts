/** Makes one call of each kind. A browser test runs this file in a realm with the globals of browsers. A rehearsal runs it from the packed packages. */
import { Bls, Clock, Codec, Network } from "@plumbline/beacon-light-client"
import { Hex } from "@plumbline/codec"
import { Result } from "effect"

import { expectSame } from "./expect.ts"

/** The generator of G1, which is the public key of the secret 1. */
const KEY = "0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"

export const run = (): string => {
  const form = { fork: "electra", syncCommitteeSize: 512 } as const
  const read = Codec.update.decode(new Uint8Array(5), form)
  expectSame("the refusal of a short update", Result.isFailure(read) && read.failure.check, "shape")
  expectSame("the period of a slot", Clock.periodOf(Network.mainnet, 8192n), 1n)
  const key = Hex.toBytesUnsafe(KEY)
  const committee = { pubkeys: key, aggregatePubkey: key }
  const signed = { committee, signers: [0], message: new Uint8Array(32), signature: new Uint8Array(96) }
  expectSame("a signature of zeros", Bls.noble.verify(signed), false)
  return "a container refused, a signature checked"
}
