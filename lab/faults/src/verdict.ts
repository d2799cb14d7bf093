/** Judges an outcome, by the same rules for every client. */
import type { Seen } from "./clientObservation.ts"
import { type Fault, LAST_HEAD } from "./fault.ts"
import { type Outcome, trueShown } from "./faultCase.ts"
import { KEY } from "./faultyServer.ts"
import type { Truth } from "./liveAnswers.ts"

/** The flaws that an outcome can have. */
export const flaws = [
  /** A false value, returned as if it were true. */
  "false value",
  /** "There is no such thing", although it exists. */
  "fault as absence",
  /** Heads left out silently. */
  "silent gap",
  /** An error, although the requested value had arrived. */
  "needless error",
  /** An error without the server's words about the cause. */
  "words lost",
  /** No outcome within the limit. */
  "no end",
  /** An error that no caller can catch. */
  "ends the process"
] as const

export type Flaw = (typeof flaws)[number]

export interface Verdict {
  /** The outcome in a few words. For several calls with different outcomes, it has one text for each. */
  readonly text: string
  readonly flaws: ReadonlySet<Flaw>
  /** True if an error shows the key of the URL. */
  readonly showsKey: boolean
}

export const judge = (fault: Fault, { seen }: Outcome, truth: Truth): Verdict => {
  const judged = fault.read === "heads" ? judgeHeads(fault, seen) : judgeCalls(fault, seen, truth)
  const texts = judged.map(({ text }) => text)
  const separator = fault.read === "heads" ? " " : " / "
  return {
    text: new Set(texts).size === 1 ? texts[0]! : texts.join(separator),
    flaws: new Set(judged.flatMap(({ flaw }) => flaw ?? [])),
    showsKey: seen.some((each) => each._tag === "Failed" && each.printed.includes(KEY))
  }
}

interface Judged {
  readonly text: string
  readonly flaw?: Flaw | undefined
}

const judgeCalls = (fault: Fault, seen: ReadonlyArray<Seen>, truth: Truth): ReadonlyArray<Judged> => {
  const trueValues = trueShown(fault.read, truth)
  return seen.map((each, index) => {
    if (each._tag === "Value") {
      return each.shown === trueValues[index] ? { text: "the truth" } : { text: "false value", flaw: "false value" }
    }
    return judgeOther(fault, each, fault.honest === true || (fault.honest?.includes(index) ?? false))
  })
}

/** Judges heads. Each must arrive once and in order, and a gap must replace a missing head. */
const judgeHeads = (fault: Fault, seen: ReadonlyArray<Seen>): ReadonlyArray<Judged> => {
  let last = 0
  let isWarned = false
  return seen.map((each) => {
    if (each._tag !== "Value") {
      isWarned = each._tag === "Gap"
      return judgeOther(fault, each, fault.honest === true)
    }
    const number = Number(each.shown)
    const isNext = number > last && number <= LAST_HEAD
    const isSilent = isNext && number > last + 1 && !isWarned
    last = number
    isWarned = false
    return { text: each.shown, flaw: isSilent ? "silent gap" : isNext ? undefined : "false value" }
  })
}

const judgeOther = (fault: Fault, seen: Exclude<Seen, { readonly _tag: "Value" }>, isHonest: boolean): Judged => {
  switch (seen._tag) {
    case "Absent":
      return { text: "absent", flaw: "fault as absence" }
    case "Failed": {
      const isWordless = fault.words !== undefined && !seen.content.includes(fault.words)
      return { text: seen.kind, flaw: isHonest ? "needless error" : isWordless ? "words lost" : undefined }
    }
    case "Gap":
      return { text: "gap" }
    case "Escaped":
      return { text: "ends the process", flaw: "ends the process" }
    case "Unsettled":
      return { text: "no end", flaw: "no end" }
  }
}
