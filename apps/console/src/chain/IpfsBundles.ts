/**
 * Stores bundles on the service's IPFS node and fetches them, with the key of the reader's project. This module is
 * loaded at its first use.
 */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import type { IpfsError } from "@plumbline/ipfs-client/client/IpfsError"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as BundleIpfs from "@plumbline/proof-bundle/ipfs/BundleIpfs"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type { ProjectAccess } from "./PageSession.ts"

/** The result of a call, or a sentence that says why there is none. */
export type IpfsOutcome<A> = Result.Result<A, string>

const client = (access: ProjectAccess, service: string): Layer.Layer<IpfsClient.IpfsClient, IpfsError> =>
  IpfsClient.layerFetch({ url: service, ...access, timeout: "20 seconds" })

/** Stores a bundle on the service's node, and pins it for the project. */
export const publish = (
  bundle: ProofBundle.ProofBundle,
  access: ProjectAccess,
  service: string
): Promise<IpfsOutcome<BundleIpfs.Published>> =>
  run(Effect.provide(BundleIpfs.publish(bundle), client(access, service)))

/** Fetches the bundle that the service's node has under a CID, and returns its file. */
export const fetch = (text: string, access: ProjectAccess, service: string): Promise<IpfsOutcome<Uint8Array>> => {
  const cid = Cid.fromText(text)
  if (Result.isFailure(cid)) return Promise.resolve(Result.fail(`${text.slice(0, 80)} is not a CID.`))
  const { success } = cid
  return run(
    BundleIpfs.claimedBlock(success).pipe(
      Effect.flatMap((hash) => BundleIpfs.fetch(success, hash)),
      Effect.map(ProofBundle.encode),
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(slow) }),
      Effect.provide(client(access, service))
    )
  )
}

const slow = { _tag: "Slow", message: "the node did not send the bundle within 60 s" } as const

const run = <A, E extends { readonly _tag: string; readonly message: string }>(
  call: Effect.Effect<A, E>
): Promise<IpfsOutcome<A>> =>
  Effect.runPromise(
    Effect.matchCause(call, {
      onSuccess: (value): IpfsOutcome<A> => Result.succeed(value),
      onFailure: (cause): IpfsOutcome<A> => {
        const [first] = cause.reasons
        return Result.fail(first?._tag === "Fail" ? sentenceOf(first.error) : "This page made a mistake.")
      }
    })
  )

/** Returns the reason in one sentence. Errors of the client hold no key. */
const sentenceOf = (error: { readonly _tag: string; readonly message: string; readonly reason?: unknown }): string => {
  const reason = tagOf(error.reason)
  if (reason === "UnauthorizedError") return "The service does not accept this key and secret."
  if (reason === "ForbiddenError") return `The service does not allow it: ${error.message.slice(0, 200)}.`
  if (error._tag === "RefutedError") return `The node sent other bytes: ${error.message.slice(0, 240)}.`
  return `No bundle: ${error.message.slice(0, 240)}.`
}

const tagOf = (reason: unknown): unknown =>
  typeof reason === "object" && reason !== null && "_tag" in reason ? reason._tag : reason
