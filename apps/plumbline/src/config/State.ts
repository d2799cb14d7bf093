/** `state`: the place of accounts, keys, usage and pins. */
import * as Redacted from "effect/Redacted"

import type * as Admin from "./Admin.ts"
import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { group, may, text, url, whole } = Kinds

/**
 * Number of connections of one process to Postgres. The number repeats `Postgres.defaults`, because importing that
 * module would load the driver.
 */
const CONNECTIONS = 10

/** The section `state` of the file. */
export const section = group(
  {
    folder: may(
      text({
        description:
          "Data folder of the service, unless --data is given; relative to this file. Default: $PLUMBLINE_DATA, else the user's data folder."
      })
    ),
    postgres: may(
      url(["postgres", "postgresql"], {
        description: "A Postgres database, for several processes, in place of the SQLite file in the folder."
      })
    ),
    connections: may(
      whole(1, 1000, { description: "Number of connections of one process to Postgres.", default: CONNECTIONS })
    ),
    redis: may(url(["redis", "rediss"], { description: "Redis, where several processes count limits together." }))
  },
  "Place of accounts, keys, usage and pins."
)

/** The section `state`, if the file has it. */
export type Section = typeof section.Type

/** The place of the state: a folder, or servers that several processes share. */
export type Settings =
  | { readonly _tag: "Folder"; readonly folder: string | undefined }
  | {
      readonly _tag: "Shared"
      readonly postgres: Redacted.Redacted
      readonly connections: number
      readonly redis: Redacted.Redacted | undefined
    }

/** Returns the section as settings. */
export const settings = ({ connections = CONNECTIONS, folder, postgres, redis }: Section = {}): Settings =>
  postgres === undefined
    ? { _tag: "Folder", folder }
    : { _tag: "Shared", postgres: Redacted.make(postgres), connections, redis: Sections.secret(redis) }

/** True if several processes share the state. */
export const isShared = (section: Section | undefined): boolean => section?.postgres !== undefined

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (section: Section = {}, admin: Admin.Section = {}): Sections.Found => {
  const found: Array<Sections.Found[number]> = []
  for (const name of ["postgres", "redis"] as const) {
    const url = section[name]
    if (url !== undefined && !URL.canParse(url)) found.push({ path: ["state", name], problem: "is not a URL" })
  }
  if (!isShared(section)) {
    for (const name of ["redis", "connections"] as const) {
      if (section[name] !== undefined)
        found.push({ path: ["state", name], problem: "is for several processes: it needs state.postgres" })
    }
    return found
  }
  if (section.folder !== undefined) {
    found.push({
      path: ["state", "folder"],
      problem: "has no effect with state.postgres: nothing is kept in a folder"
    })
  }
  if (admin.token === undefined && admin.tokenFile === undefined) {
    found.push({
      path: ["admin"],
      problem: "needs a token or a tokenFile with state.postgres: all processes must have the same token"
    })
  }
  return found
}

/** Warns of a shared state without Redis. */
export const warnings = (section: Section | undefined): Sections.Found =>
  section?.redis !== undefined
    ? []
    : [
        {
          path: ["state", "redis"],
          problem: "is missing: each process counts limits for itself, so limits are exact only with one process"
        }
      ]

/** Returns the settings in the form of the file. */
export const view = (state: Settings): Sections.Shown =>
  state._tag === "Folder"
    ? Sections.given({ folder: state.folder })
    : {
        postgres: Sections.hostOf(state.postgres),
        connections: state.connections,
        ...Sections.given({ redis: state.redis && Sections.hostOf(state.redis) })
      }
