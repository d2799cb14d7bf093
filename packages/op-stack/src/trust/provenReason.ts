/** The reasons that proven storage gives, so that they stay for a block of L1. */
import type { Reason } from "@plumbline/verdict/Reason"

import * as OpStackReason from "./OpStackReason.ts"

/** True if proven storage gives the reason. What lacks a hint of the node can be different in the next answer. */
export const isProven = (reason: Reason): boolean =>
  OpStackReason.GameUnconfirmed.is(reason)
    ? PROVEN_CHECKS.has(reason.check)
    : OpStackReason.NoGame.is(reason)
      ? reason.isWhole
      : OpStackReason.AnchorBack.is(reason) ||
        OpStackReason.EmptySlot.is(reason) ||
        OpStackReason.RegistryNotNamed.is(reason) ||
        OpStackReason.UnknownImplementation.is(reason) ||
        OpStackReason.UnsupportedGame.is(reason)

/** The checks of a game whose claim the factory has confirmed, or that need no claim. */
const PROVEN_CHECKS: ReadonlySet<OpStackReason.GameCheck> = new Set([
  "game-blacklisted",
  "game-claim",
  "game-number",
  "game-retired",
  "game-status"
])
