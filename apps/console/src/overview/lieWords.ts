/** Says in words when a node lied, if it is trusted, who ordered the lies of a drill, and whose calls were refused. */
import type { Status } from "@plumbline/gateway-admin/api/AdminModel"

import { count, grouped } from "../look/TextFormats.ts"
import { second } from "./numberFormats.ts"

/** The trust in a node that lied. The service derives it in one place, from the answers of the node. */
export interface NodeTrust {
  readonly isLying: boolean
  /** The time until which the node gets no calls; null if it is asked. */
  readonly asideUntil: number | null
  readonly trustedSince: number | null
}

/** The time for which an operator ordered a node to lie, in milliseconds since the epoch. */
export interface LieOrder {
  readonly at: number
  readonly until: number
}

/** Returns the trust in a node; undefined for one that does not answer, or is no longer configured. */
export const trustIn = (networks: Status["networks"], network: string, node: string): NodeTrust | undefined => {
  const found = networks.find(({ name }) => name === network)?.nodes.find(({ name }) => name === node)
  if (found === undefined || (found.state !== "lies" && found.state !== "up")) return undefined
  const isLying = found.state === "lies"
  return {
    isLying,
    asideUntil: isLying && found.aside === true ? found.nextAttemptAt : null,
    trustedSince: isLying ? null : (found.trustedSince ?? null)
  }
}

/**
 * Says if a node that lied is trusted, as the end of a sentence about it. `at` is the current time, and `drill` is the
 * order by which it lied.
 */
export const trustText = (
  { asideUntil, isLying, trustedSince }: NodeTrust,
  at: number,
  drill?: LieOrder | null
): string => {
  if (drill != null && drill.until > at) return `ordered to lie until ${second(drill.until, at)} UTC, and not trusted`
  if (!isLying) return trustedSince === null ? "trusted" : `trusted again since ${second(trustedSince, at)} UTC`
  return asideUntil !== null && asideUntil > at
    ? `out of use until ${second(asideUntil, at)} UTC`
    : "not trusted until an answer to such a question passes its checks"
}

/** Explains that a network answers although one of its nodes lies. */
export const EACH_PROVEN =
  "Each answer is checked by itself, whichever node gave it, so new VERIFIED blocks can stand beside a lie."

/**
 * Returns when a node lied first and last, as text. `at` is the current time by the service's clock. A service of an
 * earlier version does not tell the first time.
 */
export const timesOf = (firstAt: number | null | undefined, lastAt: number, at: number): string => {
  const last = `${second(lastAt, at)} UTC`
  if (firstAt == null) return `last at ${last}`
  const first = second(firstAt, at)
  return last.startsWith(first) ? `at ${last}` : `from ${first} to ${last}`
}

/** Says when an order to lie was given, and for how long. */
export const orderText = (drill: LieOrder, at: number): string =>
  `at ${second(drill.at, at)} UTC for ${Math.round((drill.until - drill.at) / 1000)} s`

/** The calls of one key of a project that were refused in place of a lie. */
export interface RefusedCalls {
  readonly project: string
  /** The start of the key; empty for a token, and for a key that is not known. */
  readonly key: string
  readonly calls: bigint
}

/** Says whose calls were refused because of a lie. `nameOf` returns the name of a project. */
export const harmText = (refused: ReadonlyArray<RefusedCalls>, nameOf: (project: string) => string): string => {
  if (refused.length === 0) return "No refused call of a project is recorded, and no caller got a wrong value."
  const named = refused
    .slice(0, MOST_NAMED)
    .map(
      ({ calls, key, project }) => `${count(calls, "call")} of ${nameOf(project)}${key === "" ? "" : ` (key ${key}…)`}`
    )
  const rest = refused.slice(MOST_NAMED)
  const others =
    rest.length === 0 ? "" : ` and ${grouped(rest.reduce((sum, { calls }) => sum + calls, 0n))} of other keys`
  return `Refused with an error in place of a lie: ${named.join(", ")}${others}. No caller got a wrong value.`
}

const MOST_NAMED = 5
