/** The progress of long work, as one line on standard error that is overwritten. It is shown on a terminal only. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

export interface Progress {
  /** True if the line is shown: only then is the total worth computing. */
  readonly isShown: boolean
  /** Adds to the number of expected bytes. */
  readonly expect: (bytes: number) => void
  /** Adds to the number of processed bytes. */
  readonly done: (bytes: number) => void
}

/**
 * The delay before the line is first shown. Work that takes less time shows no line, because a person could not read
 * it.
 */
const FIRST_AFTER = "300 millis"
const INTERVAL = "100 millis"

/** Makes a line for the work of this scope, and removes it when the scope closes. `label` names the work. */
export const make = Effect.fnUntraced(function* (label: string, options: { readonly isQuiet?: boolean } = {}) {
  const stdio = yield* Stdio.Stdio
  const isShown = options.isQuiet !== true && (yield* stdio.stderrIsTerminal)
  let total: number | undefined
  let bytes = 0
  const progress: Progress = {
    isShown,
    expect: (size) => {
      total = (total ?? 0) + size
    },
    done: (size) => {
      bytes += size
    }
  }
  if (!isShown) return progress
  const terminal = yield* Effect.serviceOption(Terminal.Terminal)
  const start = yield* Clock.currentTimeMillis
  // a closed terminal must not stop the work
  const write = (text: string) => Effect.ignore(Stream.run(Stream.succeed(text), stdio.stderr({ endOnDone: false })))
  const draw = Effect.gen(function* () {
    const columns = Option.isSome(terminal) ? yield* terminal.value.columns : 0
    const seconds = ((yield* Clock.currentTimeMillis) - start) / 1000
    yield* write(`\r\u001b[K${line({ label, bytes, total, seconds, columns: columns === 0 ? 80 : columns })}`)
  })
  const drawing = Effect.sleep(FIRST_AFTER).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(draw, Effect.sleep(INTERVAL)))),
    Effect.onInterrupt(() => write("\r\u001b[K"))
  )
  yield* Effect.forkScoped(drawing)
  return progress
})

/**
 * Returns the line: the label, a bar if the total is known, the amount, the rate, and the time that the work took or
 * will take.
 */
export const line = (state: {
  readonly label: string
  readonly bytes: number
  readonly total: number | undefined
  readonly seconds: number
  readonly columns: number
}): string => {
  const { bytes, columns, label, seconds, total } = state
  const rate = seconds > 0 ? bytes / seconds : 0
  const of = total === undefined ? amount(bytes) : `${amount(bytes)} of ${amount(total)}`
  const time =
    total === undefined || rate === 0 || bytes >= total ? duration(seconds) : `${duration((total - bytes) / rate)} left`
  const said = [of, `${amount(rate)}/s`, time].join("  ")
  // the last column stays free, because some terminals wrap there at once
  const room = columns - 1 - `${label}    ${said}`.length
  const width = Math.min(MAX_BAR, room)
  const shown =
    total !== undefined && width >= MIN_BAR ? `${label}  ${bar(bytes, total, width)}  ${said}` : `${label}  ${said}`
  return shown.slice(0, Math.max(0, columns - 1))
}

const MIN_BAR = 8
const MAX_BAR = 32

const bar = (bytes: number, total: number, width: number): string => {
  const full = total === 0 ? width : Math.min(width, Math.floor((bytes / total) * width))
  return "█".repeat(full) + "░".repeat(width - full)
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"]

/** Formats bytes as `999 B` or `12.3 MiB`. */
const amount = (bytes: number): string => {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return power === 0 ? `${Math.floor(bytes)} B` : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`
}

/** Formats seconds as `0:07` or `1:02:03`. */
const duration = (seconds: number): string => {
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (n: number) => String(n).padStart(2, "0")
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
