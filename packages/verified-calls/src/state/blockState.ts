/**
 * The proven state of one block, shared by all calls about it: each account, slot, code and block hash is read once, even
 * if several calls need it at the same time.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type { CallNode } from "@plumbline/eth-methods/call/CallEngine"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

import type { CallBounds } from "../rules/CallBounds.ts"
import { type AccountRead, ProvenReads, type ReadFailure, type Spent, together } from "./provenReads.ts"
import { type CodeStore, ProvenValues } from "./provenValues.ts"
import type { Reads, StateView } from "./stateView.ts"

export interface BlockState extends StateView {
  /** Reads and proves what is missing. What another call is reading is only waited for. */
  readonly acquire: (wanted: Reads, spent: Spent) => Effect.Effect<void, ReadFailure>
  /** The memory that is kept, roughly: the bytes of codes, and a fixed number for each account and slot. */
  readonly bytes: () => number
}

/** A read of one account. Calls that need more of it in the same turn add to it. */
interface Job extends AccountRead {
  readonly keys: Map<string, Spent>
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
  const values = new ProvenValues(block, store)
  const reads = new ProvenReads(node, block, values, bounds)
  /** Reads under way, by the name of what they read. */
  const underWay = new Map<string, Deferred.Deferred<void>>()
  /** Reads that are not sent yet, by their address. */
  const open = new Map<string, Job>()

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
        const account = values.accounts.get(address)
        const other = open.get(address)
        const round = other?.round ?? own
        const keys = [...(wanted.accounts.get(address) ?? [])].filter(
          (key) => account?.slots.has(key) !== true && claim(`${address} ${key}`, round)
        )
        const isNew = account === undefined && claim(address, round)
        const hash = values.codeHash(address)
        const withCode =
          wanted.codes.has(address) &&
          hash !== Keccak256.EMPTY &&
          (hash === undefined || values.code(hash) === undefined) &&
          claim(`code ${address}`, round)
        if (!isNew && keys.length === 0 && !withCode) continue
        // an account that another call is reading is proven again with these keys: a proof of slots holds it anyway
        const job: Job = other ?? { address, keys: new Map(), withCode: false, round }
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
        (number) => !values.blockHashes.has(number) && claim(`block ${number}`, own)
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
      const work = Effect.andThen(
        gathered,
        restore(
          Effect.suspend(() =>
            together([
              ...jobs.map((job) => reads.account(job, spent)),
              ...hashes.map((number) => reads.blockHash(number))
            ])
          )
        )
      )
      // what another call fails to read is still missing in the next run, which then reads it itself
      const others = Effect.forEach(waits, Deferred.await, { concurrency: "unbounded", discard: true })
      return Effect.ensuring(work, release).pipe(
        Effect.andThen(restore(others)),
        Effect.andThen(Effect.suspend(() => reads.withinBounds(spent)))
      )
    })

  return {
    acquire,
    account: (address) => values.accounts.get(address),
    code: (hash) => values.code(hash),
    blockHash: (number) => values.blockHashes.get(number),
    bytes: () => values.bytes
  }
}
