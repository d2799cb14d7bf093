/**
 * A check: one thing that a client does, what it must see, and how a node that is not ours may differ.
 *
 * What must be seen comes from the standards: Kubo's test vectors, the importer, the codecs. It never comes from a service.
 */
import { isDeepStrictEqual } from "node:util"

import type { Client, Endpoint, Ipfs } from "./client.ts"
import { keyStream } from "./content.ts"
import { differences } from "./differences.ts"

/** A node to be checked. */
export interface Target extends Endpoint {
  /** Its kind, by which `differences` are found. */
  readonly kind: "plumbline" | "js-ipfs" | "kubo"
}

/** What a check has to work with. */
export interface Given {
  readonly ipfs: Ipfs
  readonly client: Client
  readonly target: Target
  /** Bytes that no other check and no other client adds, so that checks may share a node. */
  readonly fresh: (label: string, size?: number) => Uint8Array
}

/** What was seen, and what should have been: plain values. */
export interface Outcome {
  readonly seen: unknown
  readonly expected: unknown
}

export interface Check {
  /** What must be true, in a few words. */
  readonly name: string
  /** The only client that can do it; otherwise both can. */
  readonly only?: Client["name"]
  /** The only kind of node it is about. */
  readonly about?: Target["kind"]
  readonly run: (given: Given) => Promise<Outcome>
}

/** How a node differs: what is seen there in the place of what should be, and why. */
export interface Difference {
  readonly because: string
  readonly instead: unknown
}

/** What became of a check. */
export type Result =
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Differs"; readonly because: string }
  | { readonly _tag: "Failed"; readonly why: string; readonly seen: unknown; readonly expected: unknown }

/** Whether a check is for a client and a node. */
export const isFor = ({ about, only }: Check, client: Client, kind: Target["kind"]): boolean =>
  (only === undefined || only === client.name) && (about === undefined || about === kind)

/** How long a check may take, in milliseconds: clients wait for ever. */
const LIMIT = 50_000

/** What a client sees in a check. It never fails: an error is seen. */
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

/**
 * Runs a check. A difference that is not seen any more is a failure as well, so that the list of them stays true.
 */
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

/** What an error says. */
const whatWasSaid = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`

/** What the error of a call says; "no error" if there was none. */
export const failureOf = (call: () => Promise<unknown>): Promise<string> =>
  call().then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.message.trimEnd() : String(error))
  )
