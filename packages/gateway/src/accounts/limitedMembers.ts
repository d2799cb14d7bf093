/** The limits of a caller's key and user, which apply in addition to those of the project. */
import * as KeyLimits from "../limits/KeyLimits.ts"
import type { KeyHolder } from "./Account.ts"

/** Returns the caller's key and user, each only if it has limits. Returns undefined if neither has limits. */
export const membersOf = (
  { key, user }: Pick<KeyHolder, "key" | "user">,
  requests: number
): KeyLimits.LimitedMembers | undefined => {
  const isUserLimited = user?.id !== undefined && !KeyLimits.isNone(user.limits)
  if (KeyLimits.isNone(key.limits) && !isUserLimited) return undefined
  const own: KeyLimits.LimitedMember = { kind: "key", id: key.id, limits: key.limits }
  const all = KeyLimits.isNone(key.limits) ? [] : [own]
  return { requests, all: isUserLimited ? [...all, { kind: "user", id: user.id, limits: user.limits }] : all }
}
