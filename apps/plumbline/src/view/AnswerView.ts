/**
 * The verdict, which every answer ends in.
 */
import type * as Answer from "../Answer.ts"
import type { Style } from "./Style.ts"
import * as Text from "./Text.ts"

/** The lines under the value: the verdict, what was proven, what is only said and why, or what failed. */
export const verdict = (answer: Answer.Answer, style: Style): ReadonlyArray<string> => {
  if (answer.verdict === "REFUTED") {
    const { check, expected, got } = answer.refuted
    return [
      `${style.bad("REFUTED")}  the node's answer is not true${against(answer.anchor)}`,
      item("check", check, style),
      item("expected", expected, style),
      item("got", got, style)
    ]
  }
  const reasons = answer.claimed.filter((claim) => claim.field !== "value").map((claim) => claim.field.length)
  const width = Math.max(0, ...reasons)
  return [
    answer.verdict === "VERIFIED"
      ? `${style.good("VERIFIED")}  ${against(answer.anchor).trimStart()}`
      : `${style.doubtful("CLAIMED")}  the node's word: nothing ties it to a hash that you gave`,
    ...answer.proven.map((sentence, i) => item(i === 0 ? "proven" : "", sentence, style)),
    ...answer.claimed.map(({ field, reason }, i) =>
      item(i === 0 ? "claimed" : "", field === "value" ? reason : `${field.padEnd(width)}  ${reason}`, style)
    )
  ]
}

const against = (anchor: Answer.Anchor | null): string =>
  anchor === null ? "" : ` against ${anchor.kind} hash ${anchor.hash}`

const item = (name: string, text: string, style: Style): string =>
  `  ${style.label(name.padEnd(8))}  ${Text.printable(text)}`
