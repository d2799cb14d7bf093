/** Colours, if the terminal can show them and the user wants them, and the terminal's width. */
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"

/** Adds a colour or a weight to a text. */
export type Paint = (text: string) => string

/** The paints, by their purpose. */
export interface Style {
  readonly title: Paint
  readonly label: Paint
  readonly faint: Paint
  readonly good: Paint
  readonly doubtful: Paint
  readonly bad: Paint
  /**
   * Maximum number of characters of a line. It is infinite if standard output is not a terminal: programs read whole
   * lines.
   */
  readonly columns: number
}

/** A style without colours and without line breaks. */
export const plain: Style = (() => {
  const same: Paint = (text) => text
  return { title: same, label: same, faint: same, good: same, doubtful: same, bad: same, columns: Infinity }
})()

/** ANSI colours, which follow the terminal's own palette. */
export const ansi: Style = (() => {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`
  const bold = paint(1, 22)
  const coloured = (colour: number): Paint => {
    const ink = paint(colour, 39)
    return (text) => bold(ink(text))
  }
  return {
    title: bold,
    label: paint(36, 39),
    faint: paint(2, 22),
    good: coloured(32),
    doubtful: coloured(33),
    bad: coloured(31),
    columns: Infinity
  }
})()

/**
 * The style of standard error: the style of standard output if standard error is a terminal, and otherwise no colours.
 */
export const ofErrors = Effect.gen(function* () {
  const { stderrIsTerminal } = yield* Stdio.Stdio
  return (yield* stderrIsTerminal) ? yield* current : plain
})

/** The style of standard output: its width, and colours on a terminal unless `NO_COLOR` forbids them. */
export const current: Effect.Effect<Style> = Effect.gen(function* () {
  const { canColor } = yield* TerminalCapabilities
  const terminal = yield* Effect.serviceOption(Terminal.Terminal)
  const columns = Option.isSome(terminal) ? yield* terminal.value.columns : 0
  return { ...(canColor ? ansi : plain), columns: columns === 0 ? Infinity : columns }
})
