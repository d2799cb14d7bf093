/** Lets a signed-in operator use IPFS for a project without pasting a key. The page makes a key that ends by itself. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import type { Issued } from "@plumbline/gateway-admin/api/AdminModel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type ReactNode, useState } from "react"

import * as AdminService from "../admin/AdminService.ts"
import { useWhyNot } from "../admin/rights.ts"
import * as SessionAccess from "../admin/SessionAccess.ts"
import * as SignInState from "../admin/SignInState.ts"
import { useWork } from "../admin/useWork.ts"
import type * as PageSession from "../chain/PageSession.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import * as ProjectReads from "../projects/projectReads.ts"

/** The time after which the key ends, in milliseconds. */
const HOUR = 3_600_000

/** The label of the keys that pages made. */
const LABEL = "console, IPFS"

/** Maximum number of such keys, so that pages that were loaded again leave most of a project's ten keys to its callers. */
const MOST = 3

/** The rights that the session needs in a project. */
const RIGHTS = ["keys.issue", "keys.list", "keys.revoke"] as const

/** Issues a key of a project. The oldest keys of pages end before it, if they are more than their share. */
const issue = (client: AdminClient, id: string) =>
  Effect.gen(function* () {
    const { keys } = yield* client.keys.list({ params: { id } })
    const others = keys.filter(({ label }) => label === LABEL)
    for (const { id } of others.slice(0, Math.max(0, others.length - MOST + 1)))
      yield* Effect.catchTag(client.keys.revoke({ params: { id } }), "NotFound", () => Effect.void)
    return yield* client.keys.issue({
      params: { id },
      headers: { "idempotency-key": crypto.randomUUID() },
      payload: { label: LABEL, expiresAt: Date.now() + HOUR }
    })
  })

/** The projects of the keys that the page made. */
const projects = new WeakMap<PageSession.ProjectAccess, string>()

/** Gives the page the access of a project. */
const take = (project: string, { apiKey, apiKeySecret }: typeof Issued.Type): void => {
  const access: PageSession.ProjectAccess = { apiKey, apiKeySecret, renew: () => renew(access, project) }
  projects.set(access, project)
  SessionAccess.give(access)
}

/** The other key that is being made, because several requests can find that theirs has ended. */
let renewing: Promise<unknown> | undefined

/** Makes another key of the project in place of one that has ended: after its hour, or because further tabs made keys. */
const renew = async (
  ended: PageSession.ProjectAccess,
  project: string
): Promise<PageSession.ProjectAccess | undefined> => {
  if (SessionAccess.last() === ended) {
    renewing ??= Effect.runPromise(
      Effect.ignore(
        Effect.map(
          AdminService.once((client) => issue(client, project), registry.get(SignInState.signInState)),
          (issued) => take(project, issued)
        )
      )
    ).finally(() => (renewing = undefined))
    await renewing
  }
  const last = SessionAccess.last()
  // a request is not repeated in a project that the reader chose meanwhile
  return last === undefined || last === ended || projects.get(last) !== project ? undefined : last
}

/** The choice of a project. `children` is the form for a key, which alone is shown if no project has a key to give. */
const OperatorKey = ({ children, stores }: { readonly children: ReactNode; readonly stores: boolean }) => {
  const read = Option.getOrUndefined(AsyncResult.value(useAtom(ProjectReads.all)))
  const whyNot = useWhyNot()
  const { failed, isBusy, run } = useWork()
  const [asked, ask] = useState("")
  const projects = (read?.projects ?? []).filter(
    ({ allowlist: { networks }, id, suspended }) =>
      !suspended &&
      (networks.length === 0 || networks.includes("ipfs")) &&
      RIGHTS.every((right) => whyNot(right, id) === undefined)
  )
  const project = projects.find(({ id }) => id === asked) ?? projects[0]
  if (project === undefined) return children
  const use = (): void =>
    run(
      (client) => issue(client, project.id),
      (issued) => take(project.id, issued)
    )
  return (
    <div className="stack">
      {projects.length === 1 ? null : (
        <select className="field" aria-label="Project" value={project.id} onChange={({ target }) => ask(target.value)}>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <p>
        <button type="button" className="button primary" disabled={isBusy} onClick={use}>
          {stores ? "Store it in" : "Use"} the project {project.name}
        </button>
      </p>
      <p className="small soft">
        Your session makes a key of the project, which ends within an hour, and another one when you use it later.
      </p>
      {failed === undefined ? null : (
        <p className="problem" role="alert">
          {failed}
        </p>
      )}
      <details>
        <summary className="small soft">Or enter a key</summary>
        {children}
      </details>
    </div>
  )
}

export default OperatorKey
