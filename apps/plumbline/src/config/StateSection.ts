/** `state`: the place of accounts, keys, usage and pins. */
import * as Setting from "@plumbline/gateway/schema/Setting"
import type * as Redacted from "effect/Redacted"

import type * as AdminSection from "./AdminSection.ts"
import type * as ConfigMistake from "./ConfigMistake.ts"

const { integer, optional, secretUrl, textThat, url } = Setting

export const section = Setting.group(
  {
    folder: optional(
      textThat((folder) => !folder.includes("://"), "must be a folder, not a URL", {
        description:
          "Data folder of the service, unless --data is given; relative to this file. Default: $PLUMBLINE_DATA, else the user's data folder."
      })
    ),
    postgres: optional(
      secretUrl(
        url(["postgres", "postgresql"], {
          description: "A Postgres database, for several processes, in place of the SQLite file in the folder."
        })
      )
    ),
    connections: optional(
      integer(1, 1000, {
        description: "Number of connections of one process to Postgres.",
        // it repeats `Postgres.defaults`, because importing that module would load the driver
        default: 10
      })
    ),
    redis: optional(
      secretUrl(url(["redis", "rediss"], { description: "Redis, where several processes count limits together." }))
    )
  },
  "Place of accounts, keys, usage and pins."
)

export type StateSection = typeof section.Type

/** The place of the state: a folder, or servers that several processes share. */
export type StateSettings =
  | { readonly _tag: "Folder"; readonly folder: string | undefined }
  | {
      readonly _tag: "Shared"
      readonly postgres: Redacted.Redacted
      readonly connections: number
      readonly redis: Redacted.Redacted | undefined
    }

export const settings = ({ connections, folder, postgres, redis }: StateSection): StateSettings =>
  postgres === undefined
    ? { _tag: "Folder", folder }
    : {
        _tag: "Shared",
        postgres,
        connections: connections ?? Setting.usualOf(section.to.fields.connections.schema),
        redis
      }

/** True if several processes share the state. */
export const isShared = ({ postgres }: StateSection): boolean => postgres !== undefined

export const mistakes = (
  section: StateSection,
  admin: AdminSection.AdminSection
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const found: Array<ConfigMistake.SettingMistake> = []
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
export const warnings = ({ redis }: StateSection): ReadonlyArray<ConfigMistake.SettingMistake> =>
  redis !== undefined
    ? []
    : [
        {
          path: ["state", "redis"],
          problem: "is missing: each process counts limits for itself, so limits are exact only with one process"
        }
      ]

export const shown = (state: StateSettings): StateSection => {
  const { _tag, ...settings } = state
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}
