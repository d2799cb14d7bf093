/**
 * The proven state of one block, shared by all calls about it: each account, slot, code and block hash is read once, even
 * if several calls need it at the same time.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
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
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

import type { CallBounds } from "../rules/CallBounds.ts"
import { beyond } from "../rules/callFailures.ts"
import type { ProvenAccount, Reads, StateView } from "./stateView.ts"

/** The failures of a read. */
export type ReadFailure = JsonRpcError | RefutedError | CallError

/** Values that are kept across blocks: codes by their hash, and the hash of the code that an address had last. */
export interface CodeStore {
  readonly codes: BoundedMap<string, Uint8Array>
  readonly hashes: BoundedMap<string, Hash32.Hash32>
}

/** Codes of at most 64 KiB, so at most 16 MiB. */
const KEPT_CODES = 256

/** Addresses whose code hash is remembered. */
const KEPT_HASHES = 4096

export const makeCodeStore = (): CodeStore => ({
  codes: new BoundedMap(KEPT_CODES),
  hashes: new BoundedMap(KEPT_HASHES)
})

/** The cost of one call so far. */
export interface Spent {
  proofBytes: number
}

export interface BlockState extends StateView {
  /** Reads and proves what is missing. What another call is reading is only waited for. */
  readonly acquire: (wanted: Reads, spent: Spent) => Effect.Effect<void, ReadFailure>
  /** The memory that is kept, roughly: the bytes of codes, and a fixed number for each account and slot. */
  readonly bytes: () => number
}

/** Maximum number of keys in one eth_getProof. Nodes have limits of their own, of which geth's of 1024 is known. */
const KEYS = 256

/** Milliseconds for which answers are checked before others run. */
const SLICE = 8

/** Bytes that an account or a slot takes, with its keys. */
const READ_BYTES = 512

/** A read of one account. Calls that need more of it in the same turn add to it. */
interface Job {
  readonly address: string
  /** The keys, each with the call that pays for its proof. */
  readonly keys: Map<string, Spent>
  /** True if the code is asked for at the same time, because it is needed and not known. */
  withCode: boolean
  readonly round: Round
}

/** The reads of one call at a time, and what other calls added to them. */
interface Round {
  readonly names: Array<string>
  readonly done: Deferred.Deferred<void>
}

export const make = (
  node: CallNode,
  block: Verified<Block.WithHashes>,
  store: CodeStore,
  bounds: CallBounds
): BlockState => {
  const accounts = new Map<string, ProvenAccount>()
  const blockHashes = new Map<bigint, Hash32.Hash32>([[block.value.number! - 1n, block.value.parentHash]])
  /** The codes that calls about this block need: the store may drop them in the meantime. */
  const codes = new Map<string, Uint8Array>()
  /** Reads under way, by the name of what they read. */
  const underWay = new Map<string, Deferred.Deferred<void>>()
  /** Reads that are not sent yet, by their address. */
  const open = new Map<string, Job>()
  // a proven block is not pending, so its hash is present
  const at = { blockHash: block.value.hash! }
  const tooLarge = Effect.fail(beyond("bytes of proofs", bounds.proofBytes))
  const turns = Semaphore.makeUnsafe(1)
  let slots = 0
  let codeBytes = 0
  let since = performance.now()

  /** Checks one answer at a time, and lets others run every few milliseconds: hundreds can come in one packet. */
  const inTurn = <E>(check: Effect.Effect<void, E>): Effect.Effect<void, E> =>
    turns.withPermit(
      Effect.andThen(
        Effect.suspend(() => {
          if (performance.now() - since < SLICE) return Effect.void
          return Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => {
              since = performance.now()
            })
          )
        }),
        check
      )
    )

  const useCode = (hash: string, code: Uint8Array): void => {
    if (codes.has(hash)) return
    codes.set(hash, code)
    codeBytes += code.length
  }

  const keepCode = (hash: string, code: Uint8Array): void => {
    useCode(hash, code)
    store.codes.set(hash, code)
  }

  const codeOf = (hash: string): Uint8Array | undefined => {
    const code = codes.get(hash) ?? store.codes.use(hash)
    if (code !== undefined) useCode(hash, code)
    return code
  }

  const take = (
    answer: AccountProof.AccountProof,
    address: string,
    keys: ReadonlyArray<string>,
    payers: Job["keys"],
    spent: Spent
  ): Effect.Effect<void, ReadFailure> => {
    spent.proofBytes += sizeOf(answer.accountProof)
    for (const [i, { proof }] of answer.storageProof.entries()) {
      const payer = payers.get(keys[i] ?? "") ?? spent
      payer.proofBytes += sizeOf(proof)
    }
    if (spent.proofBytes > bounds.proofBytes) return tooLarge
    return inTurn(Effect.suspend(() => verify(answer, address, keys)))
  }

  const verify = (
    answer: AccountProof.AccountProof,
    address: string,
    keys: ReadonlyArray<string>
  ): Effect.Effect<void, RefutedError> => {
    const question = { address: address as Address.Address, storageKeys: keys as ReadonlyArray<StorageKey.StorageKey> }
    return Effect.map(Effect.fromResult(Verify.account(answer, question, block)), ({ proven, value }) => {
      let account = accounts.get(address)
      if (account === undefined) {
        const exists = proven.some(
          (evidence) => evidence._tag === "Account" && "exists" in evidence && evidence.exists === true
        )
        account = {
          exists,
          nonce: value.nonce,
          balance: value.balance,
          codeHash: exists ? lower(value.codeHash) : Keccak256.EMPTY,
          storageRoot: lower(value.storageHash),
          slots: new Map()
        }
        accounts.set(address, account)
        store.hashes.set(address, account.codeHash)
      }
      for (const [i, { value: word }] of value.storageProof.entries()) account.slots.set(keys[i]!, word)
      slots += value.storageProof.length
    })
  }

  const readCode = (address: string): Effect.Effect<Uint8Array, ReadFailure> =>
    Effect.flatMap(
      Effect.mapError(node.getCode(address as Address.Address, at), (error) => refusal(error, "code", address)),
      (code): Effect.Effect<Uint8Array, ReadFailure> =>
        Hex.size(code) > bounds.codeBytes
          ? Effect.fail(beyond("bytes of code", bounds.codeBytes))
          : Effect.succeed(Hex.toBytesUnsafe(code))
    )

  const checkCode = (account: ProvenAccount, code: Uint8Array): Effect.Effect<void, RefutedError> => {
    const hash = Keccak256.hashHex(code)
    if (hash !== account.codeHash) return Effect.fail(refute("code hash", account.codeHash, hash))
    if (code.length > 0) keepCode(hash, code)
    return Effect.void
  }

  const prove = (job: Job, keys: ReadonlyArray<string>, spent: Spent): Effect.Effect<void, ReadFailure> =>
    Effect.flatMap(
      Effect.mapError(
        node.getProof(job.address as Address.Address, keys as ReadonlyArray<StorageKey.StorageKey>, at),
        (error) => refusal(error, "account", job.address)
      ),
      (answer) => take(answer, job.address, keys, job.keys, spent)
    )

  const read = Effect.fnUntraced(function* (job: Job, spent: Spent): Effect.fn.Return<void, ReadFailure> {
    const { address, withCode } = job
    const keys = [...job.keys.keys()]
    const proofs: Array<Effect.Effect<void, ReadFailure>> = []
    if (keys.length === 0 && !accounts.has(address)) proofs.push(prove(job, [], spent))
    for (let from = 0; from < keys.length; from += KEYS) proofs.push(prove(job, keys.slice(from, from + KEYS), spent))
    const [, code] = yield* Effect.all([together(proofs), withCode ? readCode(address) : Effect.undefined], {
      concurrency: 2
    })
    // of several proofs one was given, and each holds the account
    if (code !== undefined) yield* inTurn(Effect.suspend(() => checkCode(accounts.get(address)!, code)))
  })

  const readBlockHash = (number: bigint): Effect.Effect<void, ReadFailure> =>
    Effect.flatMap(Ancestry.reach(node, block, number), (reached): Effect.Effect<void, ReadFailure> => {
      if (reached._tag === "Unreached") {
        return Effect.fail(
          unavailable({ _tag: "Unavailable", what: "block hash", address: undefined, error: undefined })
        )
      }
      blockHashes.set(number, reached.block.value.hash!)
      return Effect.void
    })

  // a caller that leaves between a claim and its release would hold up all later calls about the block
  const acquire: BlockState["acquire"] = (wanted, spent) =>
    Effect.uninterruptibleMask((restore) => {
      const own: Round = { names: [], done: Deferred.makeUnsafe<void>() }
      const waits = new Set<Deferred.Deferred<void>>()
      /** True if the name is free, and then it is this round's to read. */
      const claim = (name: string, { done, names }: Round): boolean => {
        const other = underWay.get(name)
        if (other !== undefined) {
          waits.add(other)
          return false
        }
        names.push(name)
        underWay.set(name, done)
        return true
      }
      const jobs: Array<Job> = []
      for (const address of new Set([...wanted.accounts.keys(), ...wanted.codes])) {
        const account = accounts.get(address)
        const other = open.get(address)
        const round = other?.round ?? own
        const keys = [...(wanted.accounts.get(address) ?? [])].filter(
          (key) => account?.slots.has(key) !== true && claim(`${address} ${key}`, round)
        )
        const isNew = account === undefined && claim(address, round)
        const hash = account?.codeHash ?? store.hashes.get(address)
        const withCode =
          wanted.codes.has(address) &&
          hash !== Keccak256.EMPTY &&
          (hash === undefined || codeOf(hash) === undefined) &&
          claim(`code ${address}`, round)
        if (!isNew && keys.length === 0 && !withCode) continue
        // an account that another call is reading is proven again with these keys: a proof of slots holds it anyway
        const job = other ?? { address, keys: new Map(), withCode: false, round }
        for (const key of keys) job.keys.set(key, spent)
        job.withCode ||= withCode
        if (other === undefined) {
          open.set(address, job)
          jobs.push(job)
        } else {
          waits.add(other.round.done)
        }
      }
      const hashes = [...wanted.blockHashes].filter(
        (number) => !blockHashes.has(number) && claim(`block ${number}`, own)
      )
      const close = Effect.sync(() => {
        for (const { address } of jobs) open.delete(address)
      })
      const release = Effect.sync(() => {
        for (const name of own.names) underWay.delete(name)
        Deferred.doneUnsafe(own.done, Effect.void)
      })
      // what other calls need of these accounts in this turn is asked with it
      const gathered = jobs.length === 0 ? Effect.void : Effect.ensuring(restore(Effect.yieldNow), close)
      const reads = Effect.andThen(
        gathered,
        restore(Effect.suspend(() => together([...jobs.map((job) => read(job, spent)), ...hashes.map(readBlockHash)])))
      )
      // what another call fails to read is still missing in the next run, which then reads it itself
      const others = Effect.forEach(waits, Deferred.await, { concurrency: "unbounded", discard: true })
      return Effect.ensuring(reads, release).pipe(
        Effect.andThen(restore(others)),
        Effect.andThen(Effect.suspend(() => (spent.proofBytes > bounds.proofBytes ? tooLarge : Effect.void)))
      )
    })

  return {
    acquire,
    account: (address) => accounts.get(address),
    code: codeOf,
    blockHash: (number) => blockHashes.get(number),
    bytes: () => codeBytes + (accounts.size + slots) * READ_BYTES
  }
}

/**
 * Makes reads at the same time. What the node does not give fails them only if it gives nothing else: a probe also asks
 * for what the call does not need.
 */
const together = (work: ReadonlyArray<Effect.Effect<void, ReadFailure>>): Effect.Effect<void, ReadFailure> =>
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

const lower = (hash: Hash32.Hash32): Hash32.Hash32 => hash.toLowerCase() as Hash32.Hash32

const sizeOf = (proof: ReadonlyArray<Hex.Hex>): number => proof.reduce((size, node) => size + Hex.size(node), 0)

const unavailable = (reason: Extract<CallErrorReason, { _tag: "Unavailable" }>): CallError => new CallError({ reason })

/** A permanent refusal says that the node lacks the state. Any other fault is the connection's or the moment's. */
const refusal = (error: JsonRpcError, what: "account" | "code", address: string): JsonRpcError | CallError =>
  error.reason._tag === "RemoteError" && !error.retryable
    ? unavailable({ _tag: "Unavailable", what, address: address as Address.Address, error })
    : error
