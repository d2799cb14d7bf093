/** Reads blocks from the cache or from the first of several nodes that has the right bytes. */
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import { SingleFlight, SilentNodes } from "@plumbline/gateway/GatewayInternals"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import { fromBlockError, IpfsNodeError, NotFound, TimedOut } from "@plumbline/ipfs-client/node/IpfsNodeError"
import type { NodeBlocks } from "@plumbline/ipfs-client/node/NodePath"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import type { BlockCache } from "./blockCache.ts"
import type { IpfsNodeMember } from "./ipfsNodeMember.ts"

/** The options of reading. Times are in milliseconds. */
export interface IpfsFailoverSettings {
  readonly tryTimeout: number
  readonly timeout: number
  readonly cooldown: number
  readonly failures: number
}

/**
 * Maximum time for the answer of a node that is down or has lied, if other nodes were asked before it, in milliseconds.
 */
const RESTING = 2000

/** Time of silence after which a node is probed, in milliseconds. */
const PULSE = 2000

/**
 * Combines the blocks of all nodes into one source. Simultaneous readers of a block share one read. Silent nodes are
 * probed until the scope closes.
 */
export const make = Effect.fnUntraced(function* (
  members: ReadonlyArray<IpfsNodeMember>,
  cache: BlockCache | undefined,
  { cooldown, failures, timeout, tryTimeout }: IpfsFailoverSettings
): Effect.fn.Return<NodeBlocks, never, Scope.Scope> {
  const scope = yield* Effect.scope

  /** Probes a node in the background until it answers or is down. */
  const watch = (member: IpfsNodeMember): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (member.isProbed) return Effect.void
      member.isProbed = true
      return SilentNodes.isBroken(probe(member), member.isDown ? 1 : failures).pipe(
        Effect.ensuring(Effect.sync(() => (member.isProbed = false))),
        Effect.forkIn(scope),
        Effect.asVoid
      )
    })
  yield* SilentNodes.listen(members.map((member) => ({ heard: () => member.heard, most: PULSE, ask: watch(member) })))

  /** Asks one node for a block. Fails with the reason why the node did not give the right bytes. */
  const ask = Effect.fnUntraced(function* (member: IpfsNodeMember, cid: Cid.Cid, limit: number) {
    const text = Cid.toText(cid)
    const got = yield* Effect.result(Effect.timeoutOption(member.node.blockGet(text), limit))
    if (Result.isFailure(got)) {
      const error = got.failure
      if (error.reason._tag === "Damaged") yield* lied(member, text, cooldown)
      else if (error.reason._tag === "NotFound") yield* answered(member)
      else {
        yield* failed(member, error.message)
        if (!member.isDown) yield* watch(member)
      }
      return yield* Effect.fail(error)
    }
    if (Option.isNone(got.success)) {
      // The node may be asking its peers for the block, so a timeout alone is not a fault.
      yield* watch(member)
      const reason = new TimedOut({ doing: `asking for ${text}`, milliseconds: limit })
      return yield* Effect.fail(new IpfsNodeError({ reason }))
    }
    const bytes = got.success.value
    const checked = yield* Effect.result(Block.checkEffect(cid, bytes, ANY_SIZE))
    if (Result.isSuccess(checked)) {
      yield* answered(member)
      return bytes
    }
    if (checked.failure._tag === "RefutedError") yield* lied(member, text, cooldown)
    return yield* Effect.fail(fromBlockError(checked.failure))
  })

  const rankedAt = (now: number): ReadonlyArray<IpfsNodeMember> => {
    const last = members.filter((member) => member.isLast(now))
    return last.length === 0 ? members : [...members.filter((member) => !member.isLast(now)), ...last]
  }

  /** Asks the nodes in order. Before the first remote node it asks the cache, unless `isAsked` is true. */
  const read = Effect.fnUntraced(function* (cid: Cid.Cid, ranked: ReadonlyArray<IpfsNodeMember>, isAsked: boolean) {
    const now = Monotonic.millis(yield* Clock.Clock)
    let fault: IpfsNodeError | undefined
    let isCacheAsked = isAsked || cache === undefined
    for (const [index, member] of ranked.entries()) {
      if (member.isRemote && !isCacheAsked) {
        isCacheAsked = true
        const kept = yield* cache!.get(cid)
        if (kept !== undefined) return kept
      }
      const usual = index === ranked.length - 1 ? timeout : tryTimeout
      const limit = index > 0 && member.isLast(now) ? Math.min(RESTING, usual) : usual
      const answer = yield* Effect.result(ask(member, cid, limit))
      if (Result.isSuccess(answer)) {
        if (member.isRemote) cache?.put(cid, answer.success)
        return answer.success
      }
      // A node that gave no answer may have the block, so the result is not `NotFound`.
      if (answer.failure.reason._tag !== "NotFound") fault ??= answer.failure
    }
    return yield* Effect.fail(fault ?? new IpfsNodeError({ reason: new NotFound({ cid: Cid.toText(cid) }) }))
  })

  // Simultaneous readers of a block share the calls to the nodes, because a popular file has many readers.
  const flights = new SingleFlight<Uint8Array, IpfsNodeError>(scope)
  return Effect.fnUntraced(function* (cid: Cid.Cid) {
    const ranked = rankedAt(Monotonic.millis(yield* Clock.Clock))
    const isCacheFirst = cache !== undefined && ranked[0]?.isRemote === true
    const kept = isCacheFirst ? yield* cache.get(cid) : undefined
    return kept ?? (yield* flights.join(Cid.toText(cid), read(cid, ranked, isCacheFirst)))
  })
})

const answered = (member: IpfsNodeMember): Effect.Effect<void> =>
  Effect.suspend(() => (member.answered() ? Effect.logInfo(`IPFS node ${member.name} answers again`) : Effect.void))

const failed = (member: IpfsNodeMember, detail: string): Effect.Effect<void> =>
  Effect.suspend(() =>
    member.failed() ? Effect.logWarning(`IPFS node ${member.name} is down: ${Redaction.text(detail)}`) : Effect.void
  )

const lied = (member: IpfsNodeMember, cid: string, cooldown: number): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    member.lied(Monotonic.millis(clock), cooldown)
      ? Effect.logWarning(`IPFS node ${member.name} gave bytes that do not match ${cid}: it is asked last for a while`)
      : Effect.void
  )

/** Asks a node for its version. Returns true if it answered. */
const probe = (member: IpfsNodeMember): Effect.Effect<boolean> =>
  Effect.matchEffect(Effect.timeoutOption(member.node.version, SilentNodes.PROBE), {
    onFailure: (error) => Effect.as(failed(member, error.message), false),
    onSuccess: (version) =>
      Option.isSome(version)
        ? Effect.as(answered(member), true)
        : Effect.as(failed(member, "it does not answer in time"), false)
  })

const ANY_SIZE = { maxBlockSize: Number.MAX_SAFE_INTEGER }
