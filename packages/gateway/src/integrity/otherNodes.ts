/** Asks the other nodes of a network for what one node cannot prove, or says not to exist. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { AnswerVerdict as UpstreamVerdict, Upstream, UpstreamAnswer } from "../networks/Upstream.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"
import * as AnswerVerdict from "./answerVerdict.ts"
import { isAside, type NodeReputation, WITHHELD } from "./nodeReputation.ts"

/** The nodes of a network, in the order of its members. */
interface Judged {
  readonly network: string
  readonly standings: ReadonlyArray<NodeReputation>
}

export class OtherNodes {
  readonly #checked: Judged
  readonly #members: ReadonlyArray<Upstream>
  readonly #clock: Clock.Clock

  constructor(checked: Judged, members: ReadonlyArray<Upstream>, clock: Clock.Clock) {
    this.#checked = checked
    this.#members = members
    this.#clock = clock
  }

  /**
   * Asks the other healthy nodes one after another, each for at most `millis`. Returns what the first of them proves: an
   * answer, or the error that is the answer.
   */
  readonly #elsewhere = Effect.fnUntraced(
    { self: this },
    function* (
      method: string,
      params: ReadonlyArray<unknown>,
      { by, millis, pool }: { readonly by: string; readonly millis: number; readonly pool: Upstream }
    ): Effect.fn.Return<Exit.Exit<UpstreamAnswer, ErrorObject> | undefined> {
      const { standings } = this.#checked
      const states = new Map(pool.health?.().map(({ name, state }) => [name, state]))
      const now = Monotonic.millis(this.#clock)
      for (const [index, standing] of standings.entries()) {
        const state = states.get(standing.name)
        if (standing.name === by || state === "down" || state === "wrong" || isAside(standings, standing, now)) continue
        const found = yield* Effect.match(Effect.timeoutOption(this.#members[index]!.call(method, params), millis), {
          onFailure: (error) =>
            !(error instanceof UpstreamError) && AnswerVerdict.ofError(error)?.word === "VERIFIED"
              ? Exit.fail(error)
              : undefined,
          onSuccess: (answer) =>
            answer._tag === "Some" && answer.value.verdict?.word === "VERIFIED" ? Exit.succeed(answer.value) : undefined
        })
        if (found !== undefined) return found
      }
      return undefined
    }
  )

  /**
   * Asks the other nodes after one node answered without proof that there is no such thing, or that a transaction is
   * pending. If another node proves where the thing is, or that it does not exist, returns its answer. If the thing
   * exists, the first node withheld it, or is behind.
   */
  readonly found = Effect.fnUntraced(
    { self: this },
    function* (
      method: string,
      params: ReadonlyArray<unknown>,
      first: UpstreamAnswer,
      by: string,
      pool: Upstream
    ): Effect.fn.Return<UpstreamAnswer, ErrorObject> {
      const proven = yield* this.#elsewhere(method, params, { by, millis: SECOND_LOOK, pool })
      if (proven === undefined) return first
      if (Exit.isSuccess(proven) && proven.value.verdict?.isNull === true) return proven.value
      const { network, standings } = this.#checked
      const standing = standings.find(({ name }) => name === by)!
      const at = this.#clock.currentTimeMillisUnsafe()
      const now = Monotonic.millis(this.#clock)
      if (standing.note(method, WITHHELD, at, now, { ...WITHHELD_VALUES, params })) {
        yield* Effect.annotateLogs(Effect.logWarning("a node lacks what another one proves"), {
          network,
          node: by,
          method
        })
      }
      return yield* proven
    }
  )

  /** Runs a call. If the node lacks the state for it, another node's proof comes before this node's own word. */
  run(pool: Upstream, method: string, params: ReadonlyArray<unknown>): ReturnType<Upstream["call"]> {
    const settle = (first: Exit.Exit<UpstreamAnswer, ErrorObject | UpstreamError>, verdict?: UpstreamVerdict) =>
      verdict === undefined || this.#members.length === 1 || !lacksState(verdict)
        ? first
        : Effect.flatMap(
            this.#elsewhere(method, params, { by: verdict.by, millis: SECOND_RUN, pool }),
            (proven) => proven ?? first
          )
    return Effect.matchEffect(pool.call(method, params), {
      onFailure: (error) =>
        settle(Exit.fail(error), error instanceof UpstreamError ? undefined : AnswerVerdict.ofError(error)),
      onSuccess: (answer) => settle(Exit.succeed(answer), answer.verdict)
    })
  }
}

/** The values of a withheld answer. */
const WITHHELD_VALUES = { expected: "an answer that another node proves", got: "null" }

/** Time for another node to prove that the thing exists, in milliseconds: a slow node needs some for several reads. */
const SECOND_LOOK = 5000

/** Time for another node to prove a call for which the first one lacks the state, in milliseconds. */
const SECOND_RUN = 10_000

/** True if a call was not run because its node lacks the state, or refused a read. Another node may have it. */
const lacksState = ({ claimed, word }: UpstreamVerdict): boolean =>
  word === "CLAIMED" && ProviderRefusal.isUnavailable(claimed)
