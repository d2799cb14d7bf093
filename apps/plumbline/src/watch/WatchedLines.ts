/** Prints the lines of a watch, each with its cursor, and keeps the place behind them. */
import type * as ChainWatch from "@plumbline/eth-methods/verified/ChainWatch"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import type { DataError } from "../files/DataError.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as CursorFile from "./CursorFile.ts"
import * as WatchView from "./WatchView.ts"

/** Opens the file of the cursor, and holds it until the scope closes. Fails if it is of another watch, or in use. */
export const open = Effect.fnUntraced(function* (
  flags: { readonly cursor: Option.Option<string>; readonly json: boolean },
  subject: CursorFile.WatchSubject
) {
  const file = yield* CursorFile.find(flags.cursor)
  if (file !== undefined) {
    // a file that is no cursor gets no lock beside it
    yield* CursorFile.read(file, subject)
    yield* CursorFile.hold(file)
  }
  const stored = file === undefined ? undefined : yield* CursorFile.read(file, subject)
  const write = yield* CursorFile.writer(file)
  const style = yield* Style.current
  /** The place behind everything that was printed, if the file does not say so yet. */
  let unsettled: CursorFile.StoredCursor | undefined

  const settle: Effect.Effect<void, DataError> = Effect.suspend(() => {
    const cursor = unsettled
    if (cursor === undefined) return Effect.void
    unsettled = undefined
    return Effect.uninterruptible(write(cursor))
  })

  const print = (line: CursorFile.WatchLine, cursor: CursorFile.StoredCursor): Effect.Effect<void> =>
    Effect.andThen(
      Console.log(flags.json ? TerminalText.json({ ...line, cursor }) : WatchView.text(line, style)),
      flushed
    )

  return {
    /** The file whose place the watch goes on from; undefined if it begins anew. */
    stored: stored === undefined ? undefined : file,
    /**
     * Returns the place to go on from: that of the file, after the line that it holds is printed again; or else the given
     * one, which is stored, so that nothing is missing if the watch is killed before its first line.
     */
    begin: Effect.fnUntraced(function* <E, R>(start: Effect.Effect<ChainWatch.Cursor, E, R>) {
      if (stored === undefined) {
        const place = yield* start
        yield* write({ ...subject, place })
        return place
      }
      const { line, place } = stored
      if (line !== undefined) {
        yield* print(line, { ...subject, place })
        unsettled = { ...subject, place }
        yield* settle
      }
      return place
    }),
    /** Prints a line. It is in the file before, and the next line or `settle` takes it out. */
    tell: (place: ChainWatch.Cursor, line: CursorFile.WatchLine): Effect.Effect<void, DataError> =>
      Effect.gen(function* () {
        const cursor = { ...subject, place }
        unsettled = undefined
        yield* Effect.uninterruptible(write({ ...cursor, line }))
        yield* print(line, cursor)
        unsettled = cursor
      }),
    /** Notes a place behind which nothing was printed. */
    passed: (place: ChainWatch.Cursor): Effect.Effect<void> =>
      Effect.sync(() => {
        unsettled = { ...subject, place }
      }),
    settle,
    /** Settles when the watch ends. Its failure is left to the error that ended the watch. */
    settleAtEnd: Effect.ignore(settle)
  }
})

/** Waits until the system has taken everything that was printed. */
const flushed: Effect.Effect<void> = Effect.callback<void>((resume) => {
  process.stdout.write("", () => resume(Effect.void))
})
