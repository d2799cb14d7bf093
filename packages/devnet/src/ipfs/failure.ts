/** Errors of an IPFS node, made short. */
import type * as DagError from "@plumbline/ipfs-client/block/DagError"
import * as IpfsNodeError from "@plumbline/ipfs-client/node/IpfsNodeError"
import type { Refuted } from "@plumbline/verdict/Refuted"
import type { Unproven } from "@plumbline/verdict/Unproven"
import * as Effect from "effect/Effect"

export const failure = (reason: IpfsNodeError.Reason): IpfsNodeError.IpfsNodeError =>
  new IpfsNodeError.IpfsNodeError({ reason })

export const invalid = (what: string, detail: string): IpfsNodeError.IpfsNodeError =>
  failure(new IpfsNodeError.InvalidRequest({ what, detail }))

/**
 * Runs a promise. It rejects with one of our errors; any other rejection is a defect. It is awaited even after an
 * interruption: its work is short, and must not continue after a guard or the node is closed.
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

/** Runs a synchronous call of the list of pins, with the same errors. */
export const attemptNow = <A>(evaluate: () => A): Effect.Effect<A, IpfsNodeError.IpfsNodeError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      return thrown(error)
    }
  })

/** Fails with one of our errors; any other error is a defect. */
export const thrown = (error: unknown): Effect.Effect<never, IpfsNodeError.IpfsNodeError> =>
  error instanceof IpfsNodeError.IpfsNodeError ? Effect.fail(error) : Effect.die(error)

/** Converts an error of the system to ours, with its code alone, because its message holds a path. */
export const ofSystem = (doing: string, error: unknown): IpfsNodeError.IpfsNodeError =>
  failure(new IpfsNodeError.Failed({ doing, detail: codeOf(error) }))

/** Returns the system's code, such as `ENOSPC`. */
export const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : "an unknown error"
}

/** The errors of checking and reading blocks, which become errors of the node. */
export type DagProblem =
  | Refuted
  | Unproven
  | DagError.MalformedBlock
  | DagError.LimitExceeded
  | DagError.WrongKind
  | DagError.NoSuchEntry

export const ofDag = (problem: DagProblem): IpfsNodeError.IpfsNodeError => {
  switch (problem._tag) {
    case "Refuted":
      return failure(
        new IpfsNodeError.Damaged({ cid: problem.subject ?? "", expected: problem.expected, got: problem.got })
      )
    case "Unproven":
      return failure(new IpfsNodeError.Malformed({ cid: problem.subject, detail: reasonsOf(problem) }))
    case "MalformedBlock":
      return failure(new IpfsNodeError.Malformed({ cid: problem.cid, detail: problem.detail }))
    case "LimitExceeded":
      return failure(
        new IpfsNodeError.Malformed({ cid: problem.cid, detail: `beyond ${problem.bound}, which is ${problem.limit}` })
      )
    case "WrongKind":
      return failure(new IpfsNodeError.WrongKind({ cid: problem.cid, expected: problem.expected, got: problem.got }))
    case "NoSuchEntry":
      return failure(new IpfsNodeError.NoLink({ cid: problem.cid, name: problem.name }))
  }
}

const reasonsOf = ({ claims }: Unproven): string => claims.map(({ reason }) => reason.sentence).join("; ")

/** Applies `ofDag` to an effect that may fail with the node's own errors too. */
export const dagErrors = <A, R>(
  effect: Effect.Effect<A, DagProblem | IpfsNodeError.IpfsNodeError, R>
): Effect.Effect<A, IpfsNodeError.IpfsNodeError, R> => Effect.mapError(effect, asNodeError)

export const asNodeError = (error: DagProblem | IpfsNodeError.IpfsNodeError): IpfsNodeError.IpfsNodeError =>
  error._tag === "IpfsNodeError" ? error : ofDag(error)
