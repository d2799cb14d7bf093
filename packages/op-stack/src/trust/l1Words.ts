/** Words of storage of L1, proven under one trusted block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import * as DisputeGame from "../contract/DisputeGame.ts"
import * as OpStackReason from "./OpStackReason.ts"

/** A stop of a read: the contracts, or the node's lack of proofs, name no settled output. */
export interface Unsettled {
  readonly _tag: "Unsettled"
  readonly reason: Reason
}

export const unsettled = (reason: Reason): Effect.Effect<never, Unsettled> =>
  Effect.fail<Unsettled>({ _tag: "Unsettled", reason })

/** The methods of a verifying client of L1, and of the plain client whose answer is only a hint. */
export interface L1Reader {
  readonly verdicts: Pick<VerdictEthClient.Client, "getProof">
  readonly eth: Pick<EthClient.Client, "call" | "getStorageAt">
}

/** The slots that a read used, by account. The next read asks for all of them at once. */
export type UsedSlots = ReadonlyMap<Address.Address, ReadonlySet<bigint>>

/** A read of proven words, which can stop. */
export type Read<A> = Effect.Effect<A, JsonRpcError | RefutedError | Unsettled>

/** Proven words of storage at one block. */
export interface Words {
  /** Returns words of an account, in the order of the slots. */
  readonly of: (
    contract: OpStackReason.ContractName,
    account: Address.Address,
    slots: ReadonlyArray<bigint>
  ) => Read<ReadonlyArray<bigint>>
  /** Returns the claim of a game, as the node says. Undefined if the node says nothing that can be read. */
  readonly hint: (game: Address.Address) => Effect.Effect<DisputeGame.GameClaim | undefined, JsonRpcError>
  /** Returns the word of a slot, as the node says: a hint. Undefined if the node says nothing. */
  readonly hintAt: (account: Address.Address, slot: bigint) => Effect.Effect<bigint | undefined, JsonRpcError>
  /** Reads the slots of an earlier read, for all accounts at the same time. A failure is reported when a word is used. */
  readonly prefetch: (used: UsedSlots) => Effect.Effect<void>
  readonly used: () => UsedSlots
}

/** True if the node answered a call, with an error or with something that is no result. */
const isAnswered = ({ reason: { _tag } }: JsonRpcError): boolean => _tag === "RemoteError" || _tag === "DecodeError"

export const make = ({ eth, verdicts }: L1Reader, blockHash: Hash32.Hash32): Words => {
  const known = new Map<Address.Address, Map<bigint, bigint>>()
  const touched = new Map<Address.Address, Set<bigint>>()

  const fetch = (account: Address.Address, slots: ReadonlyArray<bigint>) =>
    Effect.map(verdicts.getProof(account, slots.map(StorageKey.fromSlot), { blockHash }), (verdict) => {
      if (verdict._tag === "CLAIMED") return verdict.claimed[0]!.reason
      const of = known.get(account) ?? new Map<bigint, bigint>()
      known.set(account, of)
      verdict.value.storageProof.forEach(({ value }, i) => of.set(slots[i]!, value))
      return undefined
    })

  return {
    of: Effect.fnUntraced(function* (contract, account, slots): Effect.fn.Return<
      ReadonlyArray<bigint>,
      JsonRpcError | RefutedError | Unsettled
    > {
      const missing = slots.filter((slot) => known.get(account)?.has(slot) !== true)
      if (missing.length > 0) {
        const cause = yield* fetch(account, missing)
        if (cause !== undefined) return yield* unsettled(OpStackReason.L1Unproven({ contract, cause }))
      }
      const set = touched.get(account) ?? new Set<bigint>()
      touched.set(account, set)
      for (const slot of slots) set.add(slot)
      return slots.map((slot) => known.get(account)!.get(slot)!)
    }),
    hint: (game) =>
      eth.call({ to: game, data: DisputeGame.GAME_DATA }, { blockHash }).pipe(
        Effect.map(DisputeGame.claimOf),
        // a node that cannot be reached says nothing about the game
        Effect.catchIf(isAnswered, () => Effect.undefined)
      ),
    hintAt: (account, slot) =>
      eth.getStorageAt(account, StorageKey.fromSlot(slot), { blockHash }).pipe(
        Effect.map((word) => BigInt(word)),
        Effect.catchIf(isAnswered, () => Effect.undefined)
      ),
    prefetch: (used) =>
      Effect.forEach([...used], ([account, slots]) => Effect.ignore(fetch(account, [...slots])), {
        concurrency: "unbounded",
        discard: true
      }),
    used: () => touched
  }
}
