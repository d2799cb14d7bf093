/**
 * A lie as a value: its name, the methods whose answers it changes, and the reaction of a careful client.
 *
 * A lie changes only the necessary parts. It is the same in all answers that would otherwise reveal it, so a client
 * cannot detect it by comparing two answers of the node.
 */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Effect from "effect/Effect"

/** A question, and the true node for further questions. Parameters and results are JSON values. */
export interface AskedCall {
  readonly method: string
  readonly params: ReadonlyArray<any>
  /** Number of answers that this lie has changed before. */
  readonly count: number
  readonly ask: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<any, JsonRpcError>
}

/** Returns the false answer, or the true answer itself if there is nothing to change. */
export type TellLie = (truth: any, asked: AskedCall) => Effect.Effect<unknown, JsonRpcError>

/** A fault of the connection instead of a wrong value. It needs a server, because a transport cannot cause it. */
export type ConnectionFault = "slow" | "cut" | "wrong-id" | "html" | "huge"

/**
 * The reaction of a careful client to the lie.
 *
 * `REFUTED`: the answer contradicts a trusted block or itself. `CLAIMED`: no proof covers the lie, so it must not pass
 * as proven. `FAILED`: there is no answer. `WHOLE`: the answer lacks something, so the client fills it in from the proof,
 * reports it as claimed or refuses the answer, but never passes an incomplete answer as proven. `REPAIRED`: the truth can
 * be proven without the answer, so a client that proves has the truth, and its evidence says that the node lied; another
 * client refuses the answer.
 */
export type ExpectedReaction = "REFUTED" | "CLAIMED" | "FAILED" | "WHOLE" | "REPAIRED"

/** A lie. */
export interface Lie {
  /** The name, in lower case with hyphens, such as `receipt-status`. */
  readonly name: string
  /** The methods whose answers may change; empty for a fault, which any answer may have. */
  readonly methods: ReadonlyArray<string>
  /** The description of the lie, in one sentence. */
  readonly about: string
  readonly expected: ExpectedReaction
  readonly how:
    | { readonly _tag: "Answer"; readonly tell: TellLie }
    | { readonly _tag: "Line"; readonly fault: ConnectionFault }
}

/** The changes of a lie, keyed by the method whose answer each of them changes. */
export type AnswerChanges = Readonly<Record<string, (truth: any, asked: AskedCall) => unknown>>

/**
 * Makes a lie from a change for each method. A null answer stays null, because there is nothing to change.
 *
 * ```ts import.meta.vitest
 * import { Lie } from "@plumbline/tamper"
 *
 * const poorer = Lie.make("poorer", {
 *   about: "every account has one wei",
 *   expected: "REFUTED",
 *   changes: { eth_getBalance: () => "0x1", eth_getProof: (proof) => ({ ...proof, balance: "0x1" }) }
 * })
 * poorer.methods // => ["eth_getBalance", "eth_getProof"]
 * ```
 */
export const make = (
  name: string,
  options: { readonly about: string; readonly expected: ExpectedReaction; readonly changes: AnswerChanges }
): Lie => ({
  name,
  methods: Object.keys(options.changes),
  about: options.about,
  expected: options.expected,
  how: {
    _tag: "Answer",
    tell: (truth, asked) => {
      const change = options.changes[asked.method]
      if (truth === null || change === undefined) return Effect.succeed(truth)
      const told = change(truth, asked)
      return Effect.isEffect(told) ? (told as Effect.Effect<unknown, JsonRpcError>) : Effect.succeed(told)
    }
  }
})

/** Makes a fault of the connection. */
export const fault = (name: ConnectionFault, about: string): Lie => ({
  name,
  methods: [],
  about,
  expected: "FAILED",
  how: { _tag: "Line", fault: name }
})
