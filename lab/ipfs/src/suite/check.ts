/**
 * A check: one action of a client, with the expected result. A node of another project may have a known difference.
 *
 * The expected result comes from the standards: Kubo's test vectors, the importer, the codecs. It never comes from a
 * service.
 */
import { isDeepStrictEqual } from "node:util"

import { keyStream } from "./content.ts"
import { differences } from "./nodeDifferences.ts"
import type { Client, Endpoint, Ipfs } from "./npmClients.ts"

/** A node to be checked. */
export interface Target extends Endpoint {
  /** The kind of the node. `differences` are listed by kind. */
  readonly kind: "plumbline" | "js-ipfs" | "kubo"
}

/** The tools and the content that a check works with. */
export interface Given {
  readonly ipfs: Ipfs
  readonly client: Client
  readonly target: Target
  /** Returns bytes that no other check or client adds, so that checks can share a node. */
  readonly fresh: (label: string, size?: number) => Uint8Array
}

/** The actual and the expected result: plain values. */
export interface Outcome {
  readonly seen: unknown
  readonly expected: unknown
}

export interface Check {
  /** The name of the check: its expectation in a few words. */
  readonly name: string
  /** The only client that can do the check. Default: both can. */
  readonly only?: Client["name"]
  /** The only kind of node that the check is for. Default: all kinds. */
  readonly about?: Target["kind"]
  readonly run: (given: Given) => Promise<Outcome>
}

/** A difference of a node: the actual result in place of the expected one, and the reason. */
export interface Difference {
  readonly because: string
  readonly instead: unknown
}

/** The result of a check. */
export type Result =
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Differs"; readonly because: string }
  | { readonly _tag: "Failed"; readonly why: string; readonly seen: unknown; readonly expected: unknown }

/** True if a check is for this client and this node. */
export const isFor = ({ about, only }: Check, client: Client, kind: Target["kind"]): boolean =>
  (only === undefined || only === client.name) && (about === undefined || about === kind)

/** The time that a check may take, in milliseconds. It is needed because clients wait without a limit. */
const LIMIT = 50_000

/** Returns a client's result in a check. It never fails: an error is a result. */
export const look = async (check: Check, client: Client, target: Target): Promise<Outcome> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no end")), LIMIT)
  })
  const ran = check.run({
    ipfs: client.open(target),
    client,
    target,
    fresh: (label, size = 100) => keyStream(`${client.name}/${check.name}/${label}`, size)
  })
  try {
    return await Promise.race([ran, limit])
  } catch (error) {
    return { expected: "no error", seen: whatWasSaid(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** Runs a check. A listed difference that no longer occurs is a failure too, so that the list stays true. */
export const run = async (check: Check, client: Client, target: Target): Promise<Result> => {
  const { expected, seen } = await look(check, client, target)
  const difference = target.kind === "plumbline" ? undefined : differences[target.kind].get(check.name)
  if (difference === undefined) {
    return isDeepStrictEqual(seen, expected)
      ? { _tag: "Passed" }
      : { _tag: "Failed", why: "not what it should be", seen, expected }
  }
  if (isDeepStrictEqual(seen, expected)) return { _tag: "Failed", why: "differs no more", seen, expected }
  return isDeepStrictEqual(seen, difference.instead)
    ? { _tag: "Differs", because: difference.because }
    : { _tag: "Failed", why: "differs in another way", seen, expected: difference.instead }
}

/** Returns the words of an error. */
const whatWasSaid = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`

/** Returns the words of the error of a call, or "no error" if there was none. */
export const failureOf = (call: () => Promise<unknown>): Promise<string> =>
  call().then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.message.trimEnd() : String(error))
  )
