/** Helpers for the errors of an IPFS node. */
import * as IpfsNodeError from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"

export const failure = (reason: IpfsNodeError.Reason): IpfsNodeError.IpfsNodeError =>
  new IpfsNodeError.IpfsNodeError({ reason })

export const invalid = (what: string, detail: string): IpfsNodeError.IpfsNodeError =>
  failure(new IpfsNodeError.InvalidRequest({ what, detail }))

/**
 * Runs a promise. If it rejects with an `IpfsNodeError`, the effect fails with that error; any other rejection is a
 * defect. The promise is awaited even after an interruption, because its work is short and must not continue after a
 * guard or the node is closed.
 */
export const attempt = <A>(evaluate: () => Promise<A>): Effect.Effect<A, IpfsNodeError.IpfsNodeError> =>
  Effect.uninterruptible(
    Effect.callback<A, IpfsNodeError.IpfsNodeError>((resume) => {
      evaluate().then(
        (value) => resume(Effect.succeed(value)),
        (error: unknown) => resume(thrown(error))
      )
    })
  )

/** Runs a synchronous call on the list of pins, and treats errors as `attempt` does. */
export const attemptNow = <A>(evaluate: () => A): Effect.Effect<A, IpfsNodeError.IpfsNodeError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      return thrown(error)
    }
  })

/** Fails with an `IpfsNodeError`; any other error is a defect. */
export const thrown = (error: unknown): Effect.Effect<never, IpfsNodeError.IpfsNodeError> =>
  error instanceof IpfsNodeError.IpfsNodeError ? Effect.fail(error) : Effect.die(error)

/**
 * Converts an error of the system to an `IpfsNodeError`. Only the code is kept, because the message contains a path.
 */
export const ofSystem = (doing: string, error: unknown): IpfsNodeError.IpfsNodeError =>
  failure(new IpfsNodeError.Failed({ doing, detail: codeOf(error) }))

/** Returns the system's code, such as `ENOSPC`. */
export const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : "an unknown error"
}
