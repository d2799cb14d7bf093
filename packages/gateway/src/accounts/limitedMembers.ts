/** The limits of a caller's key, user and account, which apply in addition to those of the project. */
import * as KeyLimits from "../limits/KeyLimits.ts"
import type { KeyHolder } from "./Account.ts"

/** Returns the caller's key, user and account, each only if it has limits. Returns undefined if none has limits. */
export const membersOf = (
  { account, key, user }: Pick<KeyHolder, "account" | "key" | "user">,
  requests: number
): KeyLimits.LimitedMembers | undefined => {
  const isUserLimited = user?.id !== undefined && !KeyLimits.isNone(user.limits)
  if (KeyLimits.isNone(key.limits) && !isUserLimited && account.limits === undefined) return undefined
  const all: Array<KeyLimits.LimitedMember> = []
  if (!KeyLimits.isNone(key.limits)) all.push({ kind: "key", id: key.id, limits: key.limits })
  if (isUserLimited) all.push({ kind: "user", id: user.id, limits: user.limits })
  // an account without limits has no member `limits`
  if (account.limits !== undefined) all.push({ kind: "account", id: account.id, limits: account.limits })
  return { requests, all }
}
