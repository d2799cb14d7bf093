/** Reads the data of the project screens. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import type * as AdminProject from "@plumbline/gateway-admin/api/AdminProject"
import type { Account, Project } from "@plumbline/gateway/accounts/Account"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as AdminService from "../admin/AdminService.ts"
import { whyNot } from "../admin/rights.ts"
import { setAtom } from "../look/useAtom.ts"
import type { UsageWindow } from "../route/ConsoleRoute.ts"

/** Maximum number of pages that the list reads. Each page has a thousand projects. */
const PAGES = 100

/**
 * All projects in the order of their ids. `calls` has the calls of the last day, for the projects with the most calls;
 * it is undefined if the session may not read the usage of all projects.
 */
export const all = Atom.keepAlive(
  AdminService.read((client, session) => {
    const pages = Effect.gen(function* () {
      const found: Array<Project> = []
      let after: string | undefined
      for (let page = 0; page < PAGES; page++) {
        const query = after === undefined ? { limit: 1000 } : { limit: 1000, after }
        const { next, projects } = yield* client.projects.list({ query })
        found.push(...projects)
        if (next === null) break
        after = next
      }
      return found
    })
    const query = { window: "24h", by: ["project"], top: 1000, order: "calls" } as const
    const calls =
      whyNot(session, "usage.by") === undefined
        ? Effect.map(
            client.usage.by({ query }),
            ({ rows }) => new Map(rows.map(({ calls, project }) => [project, calls]))
          )
        : Effect.undefined
    return Effect.map(Effect.all([pages, calls], { concurrency: 2 }), ([projects, calls]) => ({ projects, calls }))
  })
)

/**
 * The current use of a project's limits, by the newest of all reads; undefined before the first one. The panels of a page
 * are read at different times, and share it, so that they do not contradict each other.
 */
export const standing = Atom.family((_project: string) =>
  Atom.make<typeof AdminModel.ProjectStanding.Type | undefined>(undefined)
)

const readStanding = (client: AdminClient, id: string) =>
  Effect.tap(client.limits.get({ params: { id } }), (found) => Effect.sync(() => setAtom(standing(id), found)))

/** Everything about one project that its own session may read too. */
export const one = Atom.family((id: string) =>
  AdminService.read((client, session) =>
    Effect.gen(function* () {
      const params = { id }
      const read = yield* Effect.all(
        {
          project: client.projects.get({ params }),
          access: client.standing.access({ params }),
          keys: client.keys.list({ params }),
          history: client.standing.keyHistory({ params }),
          standing: readStanding(client, id)
        },
        { concurrency: 3 }
      )
      // an account can have further projects, so a session that has some projects may not read it
      if (whyNot(session, "accounts.card") !== undefined) return { ...read, card: undefined, payer: undefined }
      const { account } = read.project
      const { payer, ...more } = yield* Effect.all(
        {
          card: client.accounts.card({ params: { id: account } }),
          payer: client.accounts.get({ params: { id: account } }),
          others: client.projects.list({ query: { account, limit: 1000 } })
        },
        { concurrency: 3 }
      )
      return { ...read, card: more.card, payer: { ...payer, projects: more.others.projects.length } }
    })
  )
)

/** The length of the buckets in which the page of a project shows usage over time, in seconds. */
export const STEPS: Readonly<Record<UsageWindow, number>> = {
  "15m": 60,
  "1h": 300,
  "24h": 3600,
  "7d": 86_400,
  "30d": 86_400
}

/**
 * The usage of a project: by method, by key, by outcome and over time, with the use of its limits at the same moment. The
 * key is the window and the id.
 */
export const usage = Atom.family((key: string) => {
  const [window, project] = key.split(" ") as [UsageWindow, string]
  const query = { window, project, order: "calls" } as const
  return AdminService.read((client) =>
    Effect.all(
      {
        methods: client.usage.by({ query: { ...query, by: ["network", "method"], top: 8 } }),
        keys: client.usage.by({ query: { ...query, by: ["key"], top: 8 } }),
        outcomes: client.usage.by({ query: { ...query, by: ["outcome"] } }),
        details: client.usage.by({ query: { ...query, by: ["network", "method", "key", "outcome"], top: 1000 } }),
        standing: readStanding(client, project),
        series: client.usage.series({ query: { window, project, everySeconds: STEPS[window] } })
      },
      { concurrency: 4 }
    )
  )
})

/** The data that the page of a project shows, except its usage. */
export interface ProjectRead {
  readonly project: Project
  readonly access: AdminProject.Access
  readonly keys: typeof AdminModel.Keys.Type
  readonly history: typeof AdminProject.KeyHistory.Type
  readonly standing: typeof AdminModel.ProjectStanding.Type
  readonly card: typeof AdminModel.Card.Type | undefined
  /** The account, with the number of its projects up to 1,000; undefined if the session may not read it. */
  readonly payer: (Account & { readonly projects: number }) | undefined
}

/** A key, as the admin API shows it. */
export type ProjectKey = typeof AdminModel.Key.Type
