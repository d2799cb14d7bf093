/** One made chain, and light clients that follow it from any slot. */
import { BeaconApiError, type BeaconNode, type LightClient } from "@plumbline/beacon-light-client"
import type { RefutedError } from "@plumbline/verdict"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { minimal } from "./networks.ts"
import * as Worlds from "./world.ts"

export const network = minimal(0n, ["altair", "bellatrix", "capella", "deneb", "electra"])
export const world = Worlds.world(network)
/** The slot of the checkpoint: in period 15. */
export const CHECKPOINT = 1000n
export const checkpoint = world.chain.root(CHECKPOINT)
export const options: LightClient.LightClientOptions = { checkpoint }

/** An honest node. */
export const honest: BeaconNode.BeaconNode = Worlds.node(world, [CHECKPOINT])

/**
 * Starts a light client at a slot, and waits until half of that slot is over, so that each `oneSlot` includes exactly
 * one poll.
 */
export const start = (slot: bigint, setting: Partial<Worlds.Setting> = {}) =>
  Worlds.setSlot(network, slot).pipe(
    Effect.andThen(Worlds.follow({ network, nodes: [honest], options, ...setting })),
    Effect.tap(() => TestClock.adjust(500 * network.secondsPerSlot))
  )

/** Returns the slots of the finalized and the optimistic head. */
export const slotsOf = (light: LightClient.Client) =>
  Effect.map(light.heads, ({ finalized, optimistic }) => [finalized.header.beacon.slot, optimistic.header.beacon.slot])

/** Returns the name of the check that failed, or the tag of another error. */
export const checkOf = (failure: { readonly _tag: string } | RefutedError): string =>
  "check" in failure ? failure.check : failure._tag

/** The time from one poll to the next. */
export const oneSlot = TestClock.adjust(1000 * network.secondsPerSlot)

/** A node that cannot be reached. */
export const deadNode = (name: string): BeaconNode.BeaconNode => {
  const reason = new BeaconApiError.ConnectionError({ detail: "connection failed" })
  const fail = (call: BeaconApiError.BeaconApiCall) =>
    Effect.fail(new BeaconApiError.BeaconApiError({ node: name, call, reason }))
  return {
    name,
    bootstrap: () => fail("bootstrap"),
    updates: () => fail("updates"),
    finalityUpdate: fail("finality_update"),
    optimisticUpdate: fail("optimistic_update")
  }
}
