/** Formats the verdict at the end of every answer. */
import type * as Anchor from "@plumbline/verdict/Anchor"
import type * as Claim from "@plumbline/verdict/Claim"
import * as Reason from "@plumbline/verdict/Reason"

import type { Paint, Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import type * as ReadAnswer from "./ReadAnswer.ts"

/** The subject of the sentence "... is not true", if the answer is refuted. */
export type RefutedSubject = "the node's answer" | "the chain node's answer" | "the beacon node's answer" | "the bundle"

/** Returns the lines under the value: the verdict, the evidence, the claims with their reasons, or the failed check. */
export const verdict = (
  answer: ReadAnswer.ReadAnswer,
  style: Style,
  subject: RefutedSubject = "the node's answer"
): ReadonlyArray<string> => {
  if (answer.verdict === "REFUTED") {
    const { check, expected, got } = answer.refuted
    return [
      ...headline("REFUTED", style.bad, `${subject} is not true${against(answer.anchor)}`, style),
      ...item("check", check, style),
      ...item("expected", expected, style),
      ...item("got", got, style),
      ...(check === "accountProof" && expected === NO_NODES ? item("try", EMPTY_STATE, style) : [])
    ]
  }
  const { claimed } = answer
  const absent = answer.absent === true ? "; the account does not exist at this block" : ""
  const more = Math.max(0, claimed.length - MAX_CLAIMS)
  const shown = more === 0 ? claimed : [...claimed.slice(0, MAX_CLAIMS / 2), ...claimed.slice(-MAX_CLAIMS / 2)]
  const fields = shown.flatMap(({ field }) => (field === "value" ? [] : [fieldName(field).length]))
  const width = Math.min(MAX_FIELD, Math.max(0, ...fields))
  return [
    ...(answer.verdict === "VERIFIED"
      ? headline("VERIFIED", style.good, `${against(answer.anchor).trimStart()}${absent}`, style)
      : headline("CLAIMED", style.doubtful, `${weakWord(answer.anchor)}${absent}`, style)),
    ...answer.proven.flatMap(({ sentence }, i) => item(i === 0 ? "proven" : "", sentence, style)),
    ...shown.flatMap(({ field, reason }, i) => [
      ...(i === MAX_CLAIMS / 2 && more > 0 ? item("", `... ${more} more, which --json names`, style) : []),
      ...item(
        i === 0 ? "claimed" : "",
        isSame(reason, shown[i - 1]) ? "the same" : reason.sentence,
        style,
        field === "value" ? "" : fieldName(field).padEnd(width) + GAP
      )
    ])
  ]
}

/** The value that a check got of a proof under an empty state, and the way out that the refusal then names. */
const NO_NODES = "0 nodes"
const EMPTY_STATE =
  "a later block: the header of this one has an empty state, as that of block 0 of anvil has, which the node's accounts contradict"

/** Returns the name of a field for people: `[].miner` is the miner of each item of a list. */
const fieldName = (field: string): string => TerminalText.printable(field.replace(/^\[\]\.(.*)$/u, "$1 of each"))

const WORD = "not proven from a hash that you trust"
const WORD_OF_NODES = "the word of nodes: they name the block that it follows from"

/** Returns the sentence beside CLAIMED: what the answer rests on. */
const weakWord = (anchor: Anchor.Anchor | Anchor.WeakAnchor | null): string =>
  anchor === null
    ? WORD
    : anchor._tag === "Unsettled"
      ? `accepted as ${anchor.state}: it follows from block ${anchor.hash}, which L1 does not settle`
      : WORD_OF_NODES

const isSame = (reason: Reason.Reason, before: Claim.Claim | undefined): boolean =>
  before !== undefined && Reason.equals(reason, before.reason)

const against = (anchor: Anchor.Anchor | Anchor.WeakAnchor | null): string => {
  if (anchor === null) return ""
  const isRollup = anchor._tag === "Rollup" || anchor._tag === "Unsettled"
  const kind = isRollup ? `${STATES[anchor.state]} block` : kinds[anchor._tag]
  return ` against ${kind} ${anchor.hash}`
}

/** The standing of a rollup's block on L1, which is printed beside the verdict. */
const STATES: Readonly<Record<(Anchor.RollupAnchor | Anchor.UnsettledAnchor)["state"], string>> = {
  settled: "L1's settled",
  starting: "the contracts' starting",
  resolved: "L1's resolved, unsettled",
  proposed: "L1's proposed, unsettled"
}

const kinds = {
  Block: "block hash",
  LightClient: "the light client's block",
  Transaction: "transaction hash",
  Cid: "CID",
  Quorum: "a quorum's block",
  Operator: "the block of the operator's node"
} as const

const GAP = "  "

/** Maximum width of the column of fields, because a node's own fields can have names of any length. */
const MAX_FIELD = 32

/**
 * Maximum number of claims that are shown. No honest answer has as many. A node can invent thousands of fields, and
 * each becomes a claim below the verdict.
 */
const MAX_CLAIMS = 40

const headline = (word: string, paint: Paint, text: string, style: Style): ReadonlyArray<string> =>
  text === "" ? [paint(word)] : hanging(paint(word) + GAP, word.length + GAP.length, text, style)

/** Returns the lines of a name and its text, which may come from the node. `lead` is printed before the text. */
const item = (name: string, text: string, style: Style, lead = ""): ReadonlyArray<string> =>
  hanging(
    `${GAP}${style.label(name.padEnd(NAME))}${GAP}${lead}`,
    2 * GAP.length + NAME + lead.length,
    TerminalText.printable(text),
    style
  )

/** Width of the longest name. */
const NAME = "expected".length

/** Returns the lines of a text that begins after `before`. Further lines are indented by `before`'s width, `width`. */
const hanging = (before: string, width: number, text: string, { columns }: Style): ReadonlyArray<string> =>
  TerminalText.wrap(text, columns - width).map((line, i) => (i === 0 ? before : " ".repeat(width)) + line)
