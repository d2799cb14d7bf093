/** Reads accounts, codes and block hashes of one block from a node, and proves them. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import type { CallNode } from "@plumbline/eth-methods/call/CallEngine"
import { CallError, type CallErrorReason } from "@plumbline/eth-methods/call/CallError"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import * as Ancestry from "@plumbline/eth-methods/trust/Ancestry"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

import type { CallBounds } from "../rules/CallBounds.ts"
import { beyond } from "../rules/callFailures.ts"
import type { ProvenValues } from "./provenValues.ts"
import type { ProvenAccount } from "./stateView.ts"

/** The failures of a read. */
export type ReadFailure = JsonRpcError | RefutedError | CallError

/** The cost of one call so far. */
export interface Spent {
  proofBytes: number
}

/** A read of one account. */
export interface AccountRead {
  readonly address: string
  /** The keys, each with the call that pays for its proof. */
  readonly keys: ReadonlyMap<string, Spent>
  /** True if the code is asked for at the same time, because it is needed and not known. */
  readonly withCode: boolean
}

/** Maximum number of keys in one eth_getProof. Nodes have limits of their own, of which geth's of 1024 is known. */
const KEYS = 256

/** Milliseconds for which answers are checked before others run. */
const SLICE = 8

export class ProvenReads {
  readonly #node: CallNode
  readonly #block: Verified<Block.WithHashes>
  readonly #values: ProvenValues
  readonly #bounds: CallBounds
  readonly #at: { readonly blockHash: Hash32.Hash32 }
  readonly #turns = Semaphore.makeUnsafe(1)
  #since = performance.now()

  constructor(node: CallNode, block: Verified<Block.WithHashes>, values: ProvenValues, bounds: CallBounds) {
    this.#node = node
    this.#block = block
    this.#values = values
    this.#bounds = bounds
    // a proven block is not pending, so its hash is present
    this.#at = { blockHash: block.value.hash! }
  }

  /** Fails if a call has read more bytes of proofs than it may. */
  withinBounds({ proofBytes }: Spent): Effect.Effect<void, CallError> {
    return proofBytes > this.#bounds.proofBytes
      ? Effect.fail(beyond("bytes of proofs", this.#bounds.proofBytes))
      : Effect.void
  }

  /** Reads and proves an account, its slots and its code. */
  readonly account = Effect.fnUntraced(function* (
    this: ProvenReads,
    read: AccountRead,
    spent: Spent
  ): Effect.fn.Return<void, ReadFailure> {
    const { address, withCode } = read
    const keys = [...read.keys.keys()]
    const proofs: Array<Effect.Effect<void, ReadFailure>> = []
    if (keys.length === 0 && !this.#values.accounts.has(address)) proofs.push(this.#prove(read, [], spent))
    for (let from = 0; from < keys.length; from += KEYS) {
      proofs.push(this.#prove(read, keys.slice(from, from + KEYS), spent))
    }
    const [, code] = yield* Effect.all([together(proofs), withCode ? this.#code(address) : Effect.undefined], {
      concurrency: 2
    })
    // of several proofs one was given, and each holds the account
    if (code !== undefined) yield* this.#inTurn(() => this.#checkCode(this.#values.accounts.get(address)!, code))
  })

  /** Reads and proves the hash of an older block. */
  blockHash(number: bigint): Effect.Effect<void, ReadFailure> {
    return Effect.flatMap(
      Ancestry.reach(this.#node, this.#block, number),
      (reached): Effect.Effect<void, ReadFailure> => {
        if (reached._tag === "Unreached") {
          return Effect.fail(
            unavailable({ _tag: "Unavailable", what: "block hash", address: undefined, error: undefined })
          )
        }
        this.#values.blockHashes.set(number, reached.block.value.hash!)
        return Effect.void
      }
    )
  }

  #prove(read: AccountRead, keys: ReadonlyArray<string>, spent: Spent): Effect.Effect<void, ReadFailure> {
    return Effect.flatMap(
      Effect.mapError(
        this.#node.getProof(read.address as Address.Address, keys as ReadonlyArray<StorageKey.StorageKey>, this.#at),
        (error) => refusal(error, "account", read.address)
      ),
      (answer): Effect.Effect<void, ReadFailure> => {
        spent.proofBytes += sizeOf(answer.accountProof)
        for (const [i, { proof }] of answer.storageProof.entries()) {
          const payer = read.keys.get(keys[i] ?? "") ?? spent
          payer.proofBytes += sizeOf(proof)
        }
        return Effect.andThen(
          this.withinBounds(spent),
          this.#inTurn(() => this.#verify(answer, read.address, keys))
        )
      }
    )
  }

  #verify(
    answer: AccountProof.AccountProof,
    address: string,
    keys: ReadonlyArray<string>
  ): Effect.Effect<void, RefutedError> {
    const question = { address: address as Address.Address, storageKeys: keys as ReadonlyArray<StorageKey.StorageKey> }
    return Effect.map(Effect.fromResult(Verify.account(answer, question, this.#block)), (proven) =>
      this.#values.keepAccount(address, keys, proven)
    )
  }

  #code(address: string): Effect.Effect<Uint8Array, ReadFailure> {
    const { codeBytes } = this.#bounds
    return Effect.flatMap(
      Effect.mapError(this.#node.getCode(address as Address.Address, this.#at), (error) =>
        refusal(error, "code", address)
      ),
      (code): Effect.Effect<Uint8Array, ReadFailure> =>
        Hex.size(code) > codeBytes
          ? Effect.fail(beyond("bytes of code", codeBytes))
          : Effect.succeed(Hex.toBytesUnsafe(code))
    )
  }

  #checkCode(account: ProvenAccount, code: Uint8Array): Effect.Effect<void, RefutedError> {
    const hash = Keccak256.hashHex(code)
    if (hash !== account.codeHash) return Effect.fail(refute("code hash", account.codeHash, hash))
    if (code.length > 0) this.#values.keepCode(hash, code)
    return Effect.void
  }

  /** Checks one answer at a time, and lets others run every few milliseconds: hundreds can come in one packet. */
  #inTurn<E>(check: () => Effect.Effect<void, E>): Effect.Effect<void, E> {
    return this.#turns.withPermit(
      Effect.andThen(
        Effect.suspend(() => {
          if (performance.now() - this.#since < SLICE) return Effect.void
          return Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => {
              this.#since = performance.now()
            })
          )
        }),
        Effect.suspend(check)
      )
    )
  }
}

/**
 * Makes reads at the same time. What the node does not give fails them only if it gives nothing else: a probe also asks
 * for what the call does not need.
 */
export const together = (work: ReadonlyArray<Effect.Effect<void, ReadFailure>>): Effect.Effect<void, ReadFailure> =>
  Effect.flatMap(
    Effect.forEach(
      work,
      Effect.matchEffect({
        onFailure: (error): Effect.Effect<CallError | undefined, ReadFailure> =>
          error._tag === "CallError" && error.reason._tag === "Unavailable"
            ? Effect.succeed(error)
            : Effect.fail(error),
        onSuccess: () => Effect.succeed<CallError | undefined>(undefined)
      }),
      { concurrency: "unbounded" }
    ),
    (failures) => {
      const [first] = failures
      return first === undefined || failures.includes(undefined) ? Effect.void : Effect.fail(first)
    }
  )

const sizeOf = (proof: ReadonlyArray<Hex.Hex>): number => proof.reduce((size, node) => size + Hex.size(node), 0)

const unavailable = (reason: Extract<CallErrorReason, { _tag: "Unavailable" }>): CallError => new CallError({ reason })

/** A permanent refusal says that the node lacks the state. Any other fault is the connection's or the moment's. */
const refusal = (error: JsonRpcError, what: "account" | "code", address: string): JsonRpcError | CallError =>
  error.reason._tag === "RemoteError" && !error.retryable
    ? unavailable({ _tag: "Unavailable", what, address: address as Address.Address, error })
    : error
