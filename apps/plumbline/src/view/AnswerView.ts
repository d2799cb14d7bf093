/**
 * The verdict, which every answer ends in.
 */
import type * as Answer from "../Answer.ts"
import type { Paint, Style } from "./Style.ts"
import * as Text from "./Text.ts"

/** The lines under the value: the verdict, what was proven, what is only said and why, or what failed. */
export const verdict = (answer: Answer.Answer, style: Style): ReadonlyArray<string> => {
  if (answer.verdict === "REFUTED") {
    const { check, expected, got } = answer.refuted
    return [
      ...headline("REFUTED", style.bad, `the node's answer is not true${against(answer.anchor)}`, style),
      ...item("check", check, style),
      ...item("expected", expected, style),
      ...item("got", got, style)
    ]
  }
  const fields = answer.claimed.flatMap(({ field }) => (field === "value" ? [] : [Text.printable(field).length]))
  const width = Math.min(MAX_FIELD, Math.max(0, ...fields))
  return [
    ...(answer.verdict === "VERIFIED"
      ? headline("VERIFIED", style.good, against(answer.anchor).trimStart(), style)
      : headline("CLAIMED", style.doubtful, "the node's word: nothing ties it to a hash that you gave", style)),
    ...answer.proven.flatMap((sentence, i) => item(i === 0 ? "proven" : "", sentence, style)),
    ...answer.claimed.flatMap(({ field, reason }, i) =>
      item(i === 0 ? "claimed" : "", reason, style, field === "value" ? "" : Text.printable(field).padEnd(width) + GAP)
    )
  ]
}

const against = (anchor: Answer.Anchor | null): string =>
  anchor === null ? "" : ` against ${anchor.kind} hash ${anchor.hash}`

const GAP = "  "

/** Reasons stand under each other beside fields of up to this length. A node's own fields may have any names. */
const MAX_FIELD = 32

const headline = (word: string, paint: Paint, text: string, style: Style): ReadonlyArray<string> =>
  hanging(paint(word) + GAP, word.length + GAP.length, text, style)

/** A name, and beside it a text that a node may have a part in, after what leads it in. */
const item = (name: string, text: string, style: Style, lead = ""): ReadonlyArray<string> =>
  hanging(
    `${GAP}${style.label(name.padEnd(NAME))}${GAP}${lead}`,
    2 * GAP.length + NAME + lead.length,
    Text.printable(text),
    style
  )

/** The longest of the names. */
const NAME = "expected".length

/** A text after what stands before it, which is so wide; its further lines begin where its first does. */
const hanging = (before: string, width: number, text: string, { columns }: Style): ReadonlyArray<string> =>
  Text.wrap(text, columns - width).map((line, i) => (i === 0 ? before : " ".repeat(width)) + line)
