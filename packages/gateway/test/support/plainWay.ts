/** The plain form of calls, so that the tests of the usual form can run over both. */
import { type Upstream, UpstreamError } from "@plumbline/gateway"
import { Effect } from "effect"

/** The two ways of a call: through an Effect, or through `UpstreamCall.plain`. */
export const ways = ["an effect", "plain"] as const
export type Way = (typeof ways)[number]

/** Returns an upstream whose calls also have the plain form, with the time limit that this form has. */
export const withPlain = (upstream: Upstream.Upstream): Effect.Effect<Upstream.Upstream> =>
  Effect.map(Effect.context(), (context) => {
    const run = Effect.runForkWith(context)
    const { call } = upstream
    const plain: Upstream.UpstreamCall["plain"] = (method, params, millis, done) => {
      const timedOut = new UpstreamError.UpstreamError({ reason: { _tag: "TimedOut", after: millis } })
      const asked = call(method, params)
      const fiber = run(
        Number.isFinite(millis)
          ? Effect.timeoutOrElse(asked, { duration: millis, orElse: () => Effect.fail(timedOut) })
          : asked
      )
      let isAborted = false
      fiber.addObserver((exit) => {
        if (!isAborted) done(exit)
      })
      return {
        abort: () => {
          isAborted = true
          fiber.interruptUnsafe()
        }
      }
    }
    const own: Upstream.UpstreamCall = (method, params) => call(method, params)
    return { ...upstream, call: Object.assign(own, { plain }) }
  })

/** The calls of an upstream that went the plain way, and that went the other way although `way` is `plain`. */
export interface Counts {
  plain: number
  other: number
}

/** Makes the calls of an upstream in this way. A call that cannot be made plainly is made as an Effect. */
export const through = (
  way: Way,
  upstream: Upstream.Upstream,
  counts: Counts = { plain: 0, other: 0 }
): Upstream.Upstream => ({
  ...upstream,
  call: (method, params) => {
    const { plain } = upstream.call
    if (way !== "plain" || plain === undefined) return upstream.call(method, params)
    return Effect.callback((resume) => {
      const begun = plain(method, params, Infinity, resume)
      if (begun === undefined) {
        counts.other++
        resume(upstream.call(method, params))
        return undefined
      }
      counts.plain++
      return Effect.sync(begun.abort)
    })
  }
})
