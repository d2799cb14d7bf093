/**
 * Decides which calls are run over proven state at a time. Such a call can cost seconds of work and many reads, so one
 * project must not take the place of the others.
 *
 * The project with the fewest running calls is next; of several, the one whose last turn is longest ago. Each has a
 * maximum of its own. A call that waits holds no node and no thread.
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { GatewayError } from "../errors/GatewayError.ts"
import * as Setting from "../schema/Setting.ts"

/** The settings of the queue. */
export const fields = {
  atOnce: Setting.defaulted(
    Setting.integer(1, 1000, { description: "Calls that are run at a time, of all projects together.", default: 16 })
  ),
  perProject: Setting.defaulted(
    Setting.integer(1, 1000, { description: "Calls of one project that are run at a time.", default: 8 })
  ),
  waiting: Setting.defaulted(
    Setting.integer(0, 100_000, {
      description: "Calls of one project that wait for their turn. Further calls are refused.",
      default: 100
    })
  ),
  queueTimeout: Setting.defaulted(
    Setting.duration({ description: "Maximum time that a call waits for its turn.", default: "10s" })
  )
}

const settings = Schema.Struct(fields)

/** The options of a queue. Times are in milliseconds. */
export interface CallQueueOptions extends Setting.OptionsOf<typeof settings.Type> {}

/** The default options. */
export const defaults = Setting.defaultsOf(settings)

/** A queue. It is shared by all networks of a process. */
export interface CallQueue {
  /**
   * Runs a call when it is its turn. Fails with `busy` if too many calls of the project wait, or if the turn does not
   * come in time. The project is the one in `Caller`.
   */
  readonly run: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ErrorObject.ErrorObject, R>
  /** Returns the number of calls that run, and the number that wait. */
  readonly counts: () => { readonly running: number; readonly waiting: number }
}

/** The id of the project whose call this is. Default: empty, for the gateway's own calls, which share one turn. */
export const Caller: Context.Reference<string> = Context.Reference<string>("@plumbline/gateway/CallQueue/Caller", {
  defaultValue: () => ""
})

/** The error of a call for which there is no room. Clients send such a call again. */
export const busy: ErrorObject.ErrorObject = ErrorObject.make(
  ErrorCode.LIMIT_EXCEEDED,
  "too many calls are being proven. Send fewer at a time"
)

/** The place of one call. */
interface Ticket {
  /** True from the moment at which its turn has come. */
  isTaken: boolean
  /** Lets the call go on, once its fiber waits. */
  resume: (() => void) | undefined
}

/** The calls of one project. */
interface Line {
  running: number
  /** The calls that wait, oldest first. */
  readonly waiting: Set<Ticket>
}

/**
 * Makes a queue.
 *
 * ```ts import.meta.vitest
 * import { CallQueue } from "@plumbline/gateway"
 * import { Effect, Result } from "effect"
 *
 * const queue = Result.getOrThrow(CallQueue.make({ atOnce: 4, perProject: 2 }))
 * Effect.runSync(queue.run(Effect.succeed("0x2a"))) // => "0x2a"
 * queue.counts() // => { running: 0, waiting: 0 }
 * ```
 */
export const make = (options: CallQueueOptions = {}): Result.Result<CallQueue, GatewayError> =>
  Result.map(Setting.resolve(settings, options), ({ atOnce, queueTimeout, perProject, waiting: most }) => {
    /** The projects with calls. The one whose last turn is longest ago comes first. */
    const lines = new Map<string, Line>()
    let running = 0

    const begin = (name: string, line: Line, ticket: Ticket): void => {
      line.waiting.delete(ticket)
      line.running++
      running++
      // its next turn comes after those of the other projects
      lines.delete(name)
      lines.set(name, line)
      ticket.isTaken = true
      ticket.resume?.()
    }

    /** Ends a call that ran or waited, and gives a free turn to the next one. */
    const end = (name: string, line: Line, ticket: Ticket): void => {
      line.waiting.delete(ticket)
      if (ticket.isTaken) {
        line.running--
        running--
      }
      if (line.running === 0 && line.waiting.size === 0) lines.delete(name)
      if (!ticket.isTaken) return
      let next: readonly [name: string, line: Line] | undefined
      for (const other of lines) {
        const [, { running, waiting }] = other
        if (waiting.size > 0 && running < Math.min(perProject, next?.[1].running ?? perProject)) next = other
      }
      if (next === undefined) return
      const [first] = next[1].waiting
      begin(...next, first!)
    }

    /** Takes the turn, or joins those who wait. */
    const turn = (name: string, line: Line, ticket: Ticket): Effect.Effect<void, ErrorObject.ErrorObject> => {
      if (running < atOnce && line.running < perProject) {
        begin(name, line, ticket)
        return Exit.void
      }
      if (line.waiting.size >= most) return Exit.fail(busy)
      // the call waits from now on, although its fiber may give way before it does
      line.waiting.add(ticket)
      const waits = Effect.callback<void>((resume) => {
        ticket.resume = () => resume(Exit.void)
        if (ticket.isTaken) ticket.resume()
      })
      return Effect.timeoutOrElse(waits, { duration: queueTimeout, orElse: () => Exit.fail(busy) })
    }

    return {
      run: (call) =>
        Effect.flatMap(Caller, (name) =>
          Effect.uninterruptibleMask((restore) => {
            const line = lines.get(name) ?? { running: 0, waiting: new Set<Ticket>() }
            lines.set(name, line)
            const ticket: Ticket = { isTaken: false, resume: undefined }
            // a turn can come in the moment in which its call leaves
            return Effect.ensuring(
              Effect.andThen(restore(turn(name, line, ticket)), restore(call)),
              Effect.sync(() => end(name, line, ticket))
            )
          })
        ),
      counts: () => ({
        running,
        waiting: Array.from(lines.values()).reduce((sum, { waiting }) => sum + waiting.size, 0)
      })
    }
  })
