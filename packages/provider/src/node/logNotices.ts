/** The notices of a subscription to logs. Logs of a block that leaves the chain are sent again, as removed. */
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Claim from "@plumbline/verdict/Claim"
import { map, type Verdict, withClaim } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type * as ProvenHeads from "../chain/provenHeads.ts"
import type { LogsOf } from "../chain/provenLogs.ts"
import { type ChainHead, MAX_BLOCKS } from "../chain/reorgTracker.ts"
import { HeldNotices, isUnaccepted, itemOf, reasonOf, refusalOf, settle } from "./chainNotices.ts"
import type { Notice } from "./Notice.ts"
import * as ProviderReason from "./ProviderReason.ts"
import * as ProviderRefusal from "./ProviderRefusal.ts"
import { isAccepted, strictVerdict } from "./strictVerdict.ts"

/** The needs of the notices of all subscriptions to logs. */
export interface LogNoticesOptions {
  readonly heads: ProvenHeads.ProvenHeads
  readonly logsOf: LogsOf
  /** True if notifications that are only claimed must be held back. */
  readonly mayNotPass: boolean
  /** Describes a notification. */
  readonly method: Method.Any
}

type Logged = object

export class LogNotices {
  readonly #options: LogNoticesOptions
  readonly #selection: LogFilter.Selection
  readonly #held = new HeldNotices()
  /** The logs that were sent, by block. */
  readonly #told = new BoundedMap<string, ReadonlyArray<Verdict<Logged>>>(MAX_BLOCKS)

  constructor(options: LogNoticesOptions, selection: LogFilter.Selection) {
    this.#options = options
    this.#selection = selection
  }

  of(event: ProvenHeads.HeadEvent): Stream.Stream<Notice> {
    if (event._tag === "Missed") this.#told.clear()
    return event._tag === "Changed"
      ? Stream.concat(
          Stream.fromIterable(
            event.removed.flatMap((head) => this.#takeBack(head, event.added[0]?.relation._tag === "Vouched"))
          ),
          Stream.flattenIterable(Stream.mapEffect(Stream.fromIterable(event.added), (head) => this.#tell(head)))
        )
      : Stream.fromIterable(this.#held.of(event))
  }

  #item(verdict: Verdict<unknown>): Notice {
    return itemOf(this.#options.method, verdict)
  }

  /** Takes back the logs of a block. `isProven` is true if the trusted authority names the block in its place. */
  #takeBack({ hash }: ChainHead, isProven: boolean): ReadonlyArray<Notice> {
    const known = this.#told.get(hash) ?? []
    this.#told.delete(hash)
    return known.toReversed().map((verdict) => {
      const removed = map(verdict, (log) => ({ ...log, removed: true }), { claims: (claim) => [claim] })
      return this.#item(isProven ? removed : withClaim(removed, Claim.of("removed", ProviderReason.Removed({}))))
    })
  }

  #tell(head: ChainHead): Effect.Effect<ReadonlyArray<Notice>> {
    const { heads, logsOf, mayNotPass } = this.#options
    if (mayNotPass && (head.relation._tag !== "Vouched" || isUnaccepted(head))) {
      return Effect.succeed(this.#held.held(reasonOf(head)))
    }
    const missed: Notice = { _tag: "Missed", error: ProviderRefusal.missed(head.number, head.number) }
    return Effect.match(logsOf(head, this.#selection), {
      onFailure: (fault): ReadonlyArray<Notice> =>
        // the logs of a block that has since left the chain are dropped
        heads.has(head.hash) ? [{ _tag: "Held", error: refusalOf(fault) }, missed] : [],
      onSuccess: (found): ReadonlyArray<Notice> => {
        const all = found.value.map((log) =>
          strictVerdict(
            settle(
              head,
              map(found, () => log, { claims: ofLog })
            )
          )
        ) as ReadonlyArray<Verdict<Logged>>
        const unsure = mayNotPass ? all.find((one) => one._tag === "CLAIMED" && !isAccepted(one)) : undefined
        if (unsure !== undefined) return [...this.#held.held(unsure.claimed[0]!.reason), missed]
        if (all.length > 0) this.#told.set(head.hash, all)
        return all.map((one) => this.#item(one))
      }
    })
  }
}

const ofLog = ({ about, field, reason }: Claim.Claim): ReadonlyArray<Claim.Claim> => [
  { about, field: field.replace(/^(?:logs)?\[\]\./u, ""), reason }
]
