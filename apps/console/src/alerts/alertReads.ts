/** The reads of alerts: of every project for an operator, and of one project. */
import type { AlertRules } from "@plumbline/gateway-admin/alerts/AlertRules"
import type { ProjectAlerts } from "@plumbline/gateway-admin/api/AdminAlerts"
import type { Projects } from "@plumbline/gateway-admin/api/AdminModel"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as AdminService from "../admin/AdminService.ts"
import { whyNot } from "../admin/rights.ts"

/** The facts about a project that alerts need. */
export interface WatchedProject {
  readonly id: string
  readonly name: string
}

interface Query {
  readonly limit: number
  readonly after?: string
}

const FIRST: Query = { limit: 1000 }

/** Maximum number of pages that are read. A page has a thousand rows. */
const PAGES = 100

/** The alerts of all projects. */
export interface AllAlerts {
  readonly alerts: ReadonlyArray<typeof ProjectAlerts.Type>
  /** The projects without thresholds. */
  readonly without: ReadonlyArray<WatchedProject>
  /** The names of the webhooks that receive alerts; undefined if the session may not see webhooks. */
  readonly listening: ReadonlyArray<string> | undefined
  /** The names of the webhooks that are told of lies of nodes; undefined if the session may not see webhooks. */
  readonly toldOfLies: ReadonlyArray<string> | undefined
}

/** All projects with thresholds, the names of projects without thresholds, and the webhooks that receive alerts. */
export const all = Atom.keepAlive(
  AdminService.read((client, session) =>
    Effect.gen(function* () {
      const alerts: Array<typeof ProjectAlerts.Type> = []
      for (let page = 0, query: Query = FIRST; page < PAGES; page++) {
        const found: { readonly alerts: ReadonlyArray<typeof ProjectAlerts.Type>; readonly next: string | null } =
          yield* client.alerts.list({ query })
        alerts.push(...found.alerts)
        if (found.next === null) break
        query = { ...FIRST, after: found.next }
      }
      const known = new Set(alerts.map(({ project }) => project))
      const without: Array<WatchedProject> = []
      for (let page = 0, query: Query = FIRST; page < PAGES; page++) {
        const found: typeof Projects.Type = yield* client.projects.list({ query })
        without.push(...found.projects.filter(({ id }) => !known.has(id)).map(({ id, name }) => ({ id, name })))
        if (found.next === null) break
        query = { ...FIRST, after: found.next }
      }
      if (whyNot(session, "webhooks.list") !== undefined)
        return { alerts, without, listening: undefined, toldOfLies: undefined }
      const { webhooks } = yield* client.webhooks.list()
      const namesOf = (type: "node.lie" | "usage.threshold"): ReadonlyArray<string> =>
        webhooks.flatMap(({ events, name }) => (events.includes(type) ? [name] : []))
      return { alerts, without, listening: namesOf("usage.threshold"), toldOfLies: namesOf("node.lie") }
    })
  )
)

/** The alerts of one project, which its own session may read too. */
export const one = Atom.family((id: string) =>
  AdminService.read((client) =>
    Effect.map(client.alerts.fired({ params: { id } }), ({ fired, rules }) => ({ fired, rules: rules ?? NONE }))
  )
)

const NONE: AlertRules = { percentOfDay: [], creditsOfDay: [] }
