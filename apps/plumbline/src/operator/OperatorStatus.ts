import type * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import * as StatusProblems from "@plumbline/gateway-admin/api/StatusProblems"
import * as Effect from "effect/Effect"

import * as ExitCode from "../terminal/ExitCode.ts"
import type { Style } from "../terminal/Style.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import type { ServiceAnswers } from "./ServiceView.ts"
import * as ServiceView from "./ServiceView.ts"

/** `plumbline status`: the exit code is 1 if a part does not work. */
export const status = Effect.fnUntraced(function* (_: object, service: AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  const status = yield* admin.service.status()
  const found: ServiceAnswers = { ...status, ...(yield* webhooksOf(admin)), ...(yield* projectsOf(admin)) }
  const problems = problemsOf(found)
  return {
    json: JSON.stringify({ ...found, problems }, digits),
    view: (style: Style) => ServiceView.status(found, problems, style),
    exitCode: problems.length === 0 ? ExitCode.DONE : ExitCode.FAILED
  }
})

/**
 * Reads the webhooks; undefined while their store is down, and for a service of an earlier version, which has no
 * webhooks or reports them in another form.
 */
const webhooksOf = (admin: AdminClient.AdminClient) =>
  admin.webhooks.list().pipe(
    Effect.catchIf(
      (error) =>
        error._tag === "Unavailable" ||
        (error._tag === "NoAnswer" && (error.status === 404 || error.problem === "NotUnderstood")),
      () => Effect.succeed({})
    )
  )

/** Reads the first projects; undefined if they cannot be read: the state of the other parts is then shown alone. */
const projectsOf = (admin: AdminClient.AdminClient) =>
  admin.projects.list({ query: { limit: 1000 } }).pipe(
    Effect.map(({ next, projects }) => ({
      projects: projects.map(({ id, name }) => ({ id, name })),
      moreProjects: next !== null
    })),
    Effect.catch(() => Effect.succeed({}))
  )

/** Returns a sentence for each part of the service that does not work. An unused part counts as working. */
export const problemsOf = ({ networks, webhooks = [], ...stores }: ServiceAnswers): ReadonlyArray<string> => [
  ...networks.flatMap((network) =>
    StatusProblems.ofNetwork(network).map((problem) => `network ${network.name}: ${problem}`)
  ),
  ...StatusProblems.ofStores(stores),
  ...webhooks.flatMap(({ failures, name, problem, waiting }) =>
    failures < MANY_FAILURES ? [] : [`webhook ${name}: ${waiting} events wait, because ${problem ?? "it fails"}`]
  )
]

/** Number of consecutive failed tries, over about a minute. A restarting receiver has fewer. */
const MANY_FAILURES = 5

const digits = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)
