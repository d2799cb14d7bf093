import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
/**
 * Colours, where the terminal can show them and its owner wants them.
 */
import * as Effect from "effect/Effect"

/** A colour or a weight, put on a text. */
export type Paint = (text: string) => string

/** The few that are used, by what they are for. */
export interface Style {
  readonly title: Paint
  readonly label: Paint
  readonly faint: Paint
  readonly good: Paint
  readonly doubtful: Paint
  readonly bad: Paint
}

/** No colours. */
export const plain: Style = (() => {
  const same: Paint = (text) => text
  return { title: same, label: same, faint: same, good: same, doubtful: same, bad: same }
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
    bad: coloured(31)
  }
})()

/** The style of standard output: colours on a terminal, unless `NO_COLOR` says no. */
export const current: Effect.Effect<Style> = Effect.map(TerminalCapabilities, ({ canColor }) =>
  canColor ? ansi : plain
)
