/**
 * Prints answers: one JSON object for programs, or for people lines of text that end with the verdict.
 */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

import * as ExitCode from "../terminal/ExitCode.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as AnswerView from "./AnswerView.ts"
import * as ReadAnswer from "./ReadAnswer.ts"

/** An answer, ready to be printed. */
export interface PrintableAnswer {
  readonly reply: ReadAnswer.ReadAnswer
  /** Further members of the JSON object. */
  readonly beside?: Readonly<Record<string, unknown>>
  /** The lines of text above the verdict. */
  readonly view: (style: Style.Style) => ReadonlyArray<string>
  /** The subject of the sentence "... is not true", if the answer is refuted. */
  readonly subject?: AnswerView.RefutedSubject
}

/** The stream for the lines of text: standard error if standard output has the content itself. */
export type Output = "stdout" | "stderr"

/**
 * Asks, and prints the answer. An error that `refusal` recognizes as a refutation is an answer too; any other error
 * fails the command. Ends with `PrintedError` and code 2 when the answer is refuted.
 */
export const answer = Effect.fnUntraced(function* <E, R>(
  flags: { readonly json: boolean },
  question: {
    readonly ask: Effect.Effect<PrintableAnswer, E, R>
    readonly refusal: (error: E) => Omit<PrintableAnswer, "view"> | undefined
  },
  output: Output = "stdout"
) {
  const shown = yield* Effect.catch(question.ask, (error): Effect.Effect<PrintableAnswer, E> => {
    const refused = question.refusal(error)
    return refused === undefined ? Effect.fail(error) : Effect.succeed({ ...refused, view: () => [] })
  })
  yield* print(flags, shown, output)
})

/** Prints the refutation of an answer of beacon nodes. Ends with `PrintedError` and code 2. */
export const beaconLie = (flags: { readonly json: boolean }, refuted: RefutedError) =>
  print(flags, { reply: ReadAnswer.refused(refuted, null), view: () => [], subject: "the beacon node's answer" })

/** Prints an answer. Ends with `PrintedError` and code 2 when it is refuted. */
export const print = Effect.fnUntraced(function* (
  flags: { readonly json: boolean },
  { beside, reply, subject, view }: PrintableAnswer,
  output: Output = "stdout"
) {
  if (flags.json) yield* Console.log(TerminalText.json({ ...ReadAnswer.wire(reply), ...beside }))
  else {
    const style = yield* output === "stderr" ? Style.ofErrors : Style.current
    const shown = view(style)
    const lines = [...shown, ...(shown.length === 0 ? [] : [""]), ...AnswerView.verdict(reply, style, subject)]
    yield* (output === "stderr" ? Console.error : Console.log)(lines.join("\n"))
  }
  if (reply.verdict === "REFUTED") return yield* new ExitCode.PrintedError({ exitCode: ExitCode.REFUTED })
})
