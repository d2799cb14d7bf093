/** The lines that `plumbline proxy` prints for people: when it is ready, and when it ends. */
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import type { AnswerCounts, AnswerFate } from "./AnswerTally.ts"
import type { RunningProxy } from "./ProxyServer.ts"

/** The options that decide which answers the proxy passes on. */
export interface ProxyPromises {
  readonly trust: string | undefined
  /** True if a light client names blocks, of the chain or of a rollup's parent chain. */
  readonly isFollowing: boolean
  /** The checkpoint of the light client; undefined if the record of an earlier run holds it. */
  readonly checkpoint: string | undefined
  /**
   * The name of the rollup that is trusted by its parent chain, the trusted block of that chain, if it is a hash, and the
   * weaker state that the reader accepts.
   */
  readonly rollup?:
    | { readonly name: string; readonly l1Trust: string | undefined; readonly accept: string | undefined }
    | undefined
  readonly unprovable: "refuse" | "mark"
}

/** Returns the lines with the proxy's address, its trust, and the answers that it refuses. */
export const opened = ({ url, wsUrl }: RunningProxy, promised: ProxyPromises, style: Style): ReadonlyArray<string> => [
  style.good("The proxy is ready."),
  "",
  `  ${style.label("HTTP      ")}  ${url}`,
  `  ${style.label("WebSocket ")}  ${wsUrl}`,
  `  ${style.label("trusts    ")}  ${trustOf(promised)}`,
  `  ${style.label("refuses   ")}  ${
    promised.unprovable === "refuse"
      ? "answers that are refuted, and answers that nothing proves; advice and null pass, CLAIMED"
      : "answers that are refuted; an answer that nothing proves passes, CLAIMED"
  }`,
  "",
  style.faint("Ctrl-C closes it.")
]

const trustOf = ({ checkpoint, isFollowing, rollup, trust }: ProxyPromises): string => {
  const start = checkpoint === undefined ? "the record of an earlier run" : `checkpoint ${checkpoint}`
  if (rollup !== undefined) {
    const from = rollup.l1Trust === undefined ? `the light client from ${start}` : `block ${rollup.l1Trust}`
    const weaker = rollup.accept === undefined ? "" : `, and CLAIMED up to the one that is ${rollup.accept} there`
    return `blocks of ${rollup.name} up to the one that the parent chain settles, by ${from}${weaker}`
  }
  if (trust !== undefined) return `block ${trust}, and those before it`
  return isFollowing ? `the beacon chain from ${start}` : "no block: only answers to questions by hash are VERIFIED"
}

/** Returns the lines that count the outcomes of the answers. */
export const closed = ({ checks, fates, foreign }: AnswerCounts): ReadonlyArray<string> => [
  `answers: ${ORDER.map((fate) => `${fates.get(fate) ?? 0} ${fate}`).join(", ")}`,
  ...[...checks]
    .toSorted(([, a], [, b]) => b - a)
    .map(([check, count]) => `  ${count} x refuted: ${TerminalText.printable(check)}`),
  ...(foreign === 0 ? [] : [`  ${foreign} x removed: a verdict of the node's own`])
]

const ORDER: ReadonlyArray<AnswerFate> = ["VERIFIED", "CLAIMED", "REFUTED", "REFUSED", "FAILED"]
