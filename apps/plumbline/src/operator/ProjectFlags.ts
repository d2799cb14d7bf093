/** The flags for the allowlist and the limits of a project. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

import * as AdminFlags from "./AdminFlags.ts"

/** The values of the flags. A limit is a number or `none`. */
export interface ProjectFlags {
  readonly secretRequired: Option.Option<boolean>
  readonly allowNetwork: ReadonlyArray<string>
  readonly allowMethod: ReadonlyArray<string>
  readonly allowAddress: ReadonlyArray<string>
  readonly allowOrigin: ReadonlyArray<string>
  readonly allowAgent: ReadonlyArray<string>
  readonly creditsPerSecond: Option.Option<string>
  readonly burst: Option.Option<string>
  readonly creditsPerDay: Option.Option<string>
  readonly concurrency: Option.Option<string>
  readonly ipfsReadsPerSecond: Option.Option<string>
  readonly ipfsWritesPerSecond: Option.Option<string>
  readonly ipfsStored: Option.Option<string>
  readonly ipfsUploadedPerDay: Option.Option<string>
  readonly ipfsDownloadedPerDay: Option.Option<string>
}

const many = (name: string, metavar: string, what: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`Allow ${what}; may be given several times (default: any)`),
    Flag.atLeast(0)
  )

const limit = (name: string, what: string) => AdminFlags.text(name, "number|none", what)

/** The flags, for a command's config. */
export const flags: { readonly [Name in keyof ProjectFlags]: Flag.Flag<ProjectFlags[Name]> } = {
  secretRequired: AdminFlags.onOff(
    "secret-required",
    "Require the secret beside the key for JSON-RPC calls; IPFS commands always need it"
  ),
  allowNetwork: many("allow-network", "name", "this network"),
  allowMethod: many("allow-method", "name", "this method"),
  allowAddress: many("allow-address", "0x...", "calls about this address"),
  allowOrigin: many("allow-origin", "origin", "pages of this origin, such as https://*.example.com"),
  allowAgent: many("allow-agent", "text", "user agents with this in their name"),
  creditsPerSecond: limit("credits-per-second", "Credits per second"),
  burst: limit("burst", "Credits that can be taken at once"),
  creditsPerDay: limit("credits-per-day", "Credits per day, which begins at midnight UTC"),
  concurrency: limit("concurrency", "Calls at a time"),
  ipfsReadsPerSecond: limit("ipfs-reads-per-second", "IPFS commands per second that are not writes"),
  ipfsWritesPerSecond: limit(
    "ipfs-writes-per-second",
    "Calls of add, block/put, dag/put and pin/add per second, together"
  ),
  ipfsStored: limit("ipfs-stored", "Bytes of IPFS content that can be pinned at a time"),
  ipfsUploadedPerDay: limit("ipfs-uploaded-per-day", "Bytes that can be sent to IPFS in a day by UTC"),
  ipfsDownloadedPerDay: limit("ipfs-downloaded-per-day", "Bytes that can be read from IPFS in a day by UTC")
}

/** Clears the allowlist first, in commands that change a project. */
export const clearAllowlist: Flag.Flag<boolean> = Flag.Boolean("clear-allowlist").pipe(
  Flag.withoutNegation,
  Flag.withDescription("Remove all entries of the allowlist first (default: replace only the kinds that you give)"),
  Flag.withDefault(false)
)
