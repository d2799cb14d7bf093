/**
 * The steps that sections of the configuration share, from the text of the file to settings, and back to the text that
 * is shown.
 */
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import type * as Mistake from "./Mistake.ts"

/** The mistakes of a section. */
export type Found = ReadonlyArray<Mistake.Mistake>

/** A group of settings in the form that `config check` prints. */
export type Shown = { readonly [name: string]: unknown }

/** A secret text of the file. */
export const secret = (text: string | undefined): Redacted.Redacted | undefined =>
  text === undefined ? undefined : Redacted.make(text)

/** Shown in place of a secret. */
export const SECRET = "<secret>"

/** Returns the scheme and the host of a URL, without a key in the host. The rest of the URL may be a secret. */
export const hostOf = (url: Redacted.Redacted): string => UrlSecrets.shownOrigin(Redacted.value(url))

/** Reads each member of a group. */
export const mapped = <Group extends object, A>(
  group: Group | undefined,
  read: (value: NonNullable<Group[keyof Group]>) => A
): { readonly [Name in keyof Group]?: A } =>
  Object.fromEntries(
    Object.entries(group ?? {}).map(([name, value]) => [name, read(value as NonNullable<Group[keyof Group]>)])
  ) as { readonly [Name in keyof Group]?: A }

/** Returns the members of a group that are not undefined. */
export const given = (group: Shown): Shown =>
  Object.fromEntries(Object.entries(group).filter(([, value]) => value !== undefined))

/** The longest time that a timer of Node takes: a timer counts in 32 bits, and fires at once for a longer time. */
export const TIMER = 0x7fff_ffff

/** Returns a mistake if the time is not between `least` and `most` milliseconds. */
export const timer = (path: Mistake.Path, time: string | undefined, most = TIMER, least = 1): Found => {
  if (time === undefined) return []
  const millis = Kinds.millisOf(time)
  if (millis >= least && millis <= most) return []
  return [{ path, problem: `must be a time from ${least}ms to ${most === TIMER ? "24d" : `${most / 60_000}m`}` }]
}

/** Returns a mistake for each size that is zero. */
export const zeros = (path: Mistake.Path, sizes: Readonly<Record<string, number | string>> | undefined): Found =>
  Object.entries(sizes ?? {}).flatMap(([name, size]) =>
    Kinds.bytesOf(size) < 1 ? [{ path: [...path, name], problem: "must be above zero" }] : []
  )
