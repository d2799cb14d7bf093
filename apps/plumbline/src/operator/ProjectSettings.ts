/** Reads allowlists and limits from flags. */
import * as Allowlist from "@plumbline/gateway/accounts/Allowlist"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import type { ProjectFlags } from "./ProjectFlags.ts"

/** Applies flags to the present allowlist. A flag replaces all entries of its kind. */
export const allowlist = (
  flags: ProjectFlags,
  before: Allowlist.Allowlist
): Result.Result<Allowlist.Allowlist, UsageError> => {
  const merged = { ...before }
  for (const [kind, flag] of KINDS) {
    const entries = flags[flag]
    if (entries.length === 0) continue
    const parsed = Allowlist.parse({ [kind]: entries })
    if (Result.isFailure(parsed)) {
      const name = flag.replace(/[A-Z]/u, (letter) => `-${letter.toLowerCase()}`)
      return Result.fail(new UsageError({ problem: `--${name}: ${parsed.failure.problem}` }))
    }
    merged[kind] = parsed.success[kind]
  }
  return Result.succeed(merged)
}

/** True if a flag is about the allowlist. */
export const hasAllowlist = (flags: ProjectFlags): boolean => KINDS.some(([, flag]) => flags[flag].length > 0)

const KINDS = [
  ["networks", "allowNetwork"],
  ["methods", "allowMethod"],
  ["addresses", "allowAddress"],
  ["origins", "allowOrigin"],
  ["userAgents", "allowAgent"]
] as const

/** Limits that flags change: null removes a limit, and an absent member keeps the limit. */
export type ProjectLimitChanges = { readonly [Name in keyof ProjectLimits.ProjectLimits]?: number | null }

/** Reads the flags of limits. */
export const limitChanges = (flags: ProjectFlags): Result.Result<ProjectLimitChanges, UsageError> =>
  Result.map(
    Result.all(
      NAMES.flatMap(([name, flag]) =>
        Option.match(flags[name], {
          onNone: () => [],
          onSome: (said) => [Result.map(limitOf(name, flag, said), (limit) => [name, limit] as const)]
        })
      )
    ),
    (found) => Object.fromEntries(found)
  )

/** Returns limits with the changes applied. */
export const limits = (
  changes: ProjectLimitChanges,
  before: ProjectLimits.ProjectLimits
): ProjectLimits.ProjectLimits =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, limit]) => limit !== null))

const NAMES = [
  ["creditsPerSecond", "credits-per-second"],
  ["burst", "burst"],
  ["creditsPerDay", "credits-per-day"],
  ["concurrency", "concurrency"],
  ["ipfsReadsPerSecond", "ipfs-reads-per-second"],
  ["ipfsWritesPerSecond", "ipfs-writes-per-second"],
  ["ipfsStored", "ipfs-stored"],
  ["ipfsUploadedPerDay", "ipfs-uploaded-per-day"],
  ["ipfsDownloadedPerDay", "ipfs-downloaded-per-day"]
] as const

const limitOf = (
  name: keyof ProjectLimits.ProjectLimits,
  flag: string,
  said: string
): Result.Result<number | null, UsageError> => {
  if (said === "none") return Result.succeed(null)
  const parsed = ProjectLimits.parse({ [name]: /^[0-9]+$/u.test(said) ? Number(said) : undefined })
  const limit = Result.isSuccess(parsed) ? parsed.success[name] : undefined
  if (limit !== undefined) return Result.succeed(limit)
  const problem = Result.isSuccess(parsed) ? "must be a whole number" : parsed.failure.problem
  return Result.fail(new UsageError({ problem: `--${flag}: ${problem}, or none` }))
}
